// Every browser has it; older versions of Node have it elsewhere.
import { webcrypto } from "node:crypto";

globalThis.crypto ??= webcrypto;
