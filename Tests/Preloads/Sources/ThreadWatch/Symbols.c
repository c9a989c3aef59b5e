// Addresses by name and names by address: by the symbol tables in the files, which hold more than what is exported, and
// by the dynamic linker for files without one.
#include "Watch.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MODULES = 64 };

/// A program or library, and the symbol table of its file.
struct module {
    uintptr_t base;
    const ElfW(Sym) *table;
    const char *strings;
    size_t count;
};

static struct module modules[MODULES];
static int module_count;

static void read_sections(struct module *module, const uint8_t *file, size_t size) {
    const ElfW(Ehdr) *header = (const void *)file;
    if (size < sizeof *header || header->e_shoff + header->e_shnum * sizeof(ElfW(Shdr)) > size) return;
    const ElfW(Shdr) *sections = (const void *)(file + header->e_shoff);
    for (int index = 0; index < header->e_shnum; index++) {
        const ElfW(Shdr) *section = &sections[index];
        if (section->sh_type != SHT_SYMTAB || section->sh_link >= header->e_shnum) continue;
        module->table = (const void *)(file + section->sh_offset);
        module->count = section->sh_size / sizeof *module->table;
        module->strings = (const char *)(file + sections[section->sh_link].sh_offset);
    }
}

static int open_module(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size, (void)context;
    if (module_count == MODULES) return 1;
    struct module *module = &modules[module_count];
    module->base = info->dlpi_addr;
    // The program comes first, and has no name.
    int descriptor = open(module_count == 0 ? "/proc/self/exe" : info->dlpi_name, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (descriptor < 0) return 0;
    module_count++;
    if (fstat(descriptor, &status) == 0) {
        const size_t length = (size_t)status.st_size;
        void *file = mmap(NULL, length, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (file != MAP_FAILED) read_sections(module, file, length);
    }
    close(descriptor);
    return 0;
}

void symbols_open(void) { dl_iterate_phdr(open_module, NULL); }

static void *find(const struct module *module, const char *name) {
    for (size_t index = 0; index < module->count; index++) {
        const ElfW(Sym) *symbol = &module->table[index];
        if (symbol->st_shndx != SHN_UNDEF && strcmp(module->strings + symbol->st_name, name) == 0)
            return (void *)(module->base + symbol->st_value);
    }
    return NULL;
}

void *symbols_find(const char *name) {
    // The program before all others: one with a Swift runtime of its own may have loaded a second, which it never
    // calls.
    void *found = find(&modules[0], name);
    if (!found) found = dlsym(RTLD_DEFAULT, name);
    for (int index = 1; index < module_count && !found; index++) found = find(&modules[index], name);
    return found;
}

static const char *name_of(uintptr_t address, uintptr_t *offset) {
    for (int index = 0; index < module_count; index++) {
        const struct module *module = &modules[index];
        for (size_t number = 0; number < module->count; number++) {
            const ElfW(Sym) *symbol = &module->table[number];
            *offset = address - module->base - symbol->st_value;
            if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && *offset < symbol->st_size)
                return module->strings + symbol->st_name;
        }
    }
    return NULL;
}

void symbols_print(FILE *file, void *address) {
    typedef char *(*demangler)(const char *, size_t, char *, size_t *, uint32_t);
    static demangler demangle;
    if (!demangle) demangle = (demangler)symbols_find("swift_demangle");
    // A return address may be the first of the next function.
    const uintptr_t call = (uintptr_t)address - 1;
    uintptr_t offset;
    Dl_info info = {0};
    dladdr((void *)call, &info);
    const char *name = name_of(call, &offset);
    if (!name) {
        name = info.dli_sname;
        offset = call - (uintptr_t)(name ? info.dli_saddr : info.dli_fbase);
    }
    char *readable = name && demangle ? demangle(name, strlen(name), NULL, NULL, 0) : NULL;
    fprintf(file, "    at %s + %lu (%s)\n", readable ? readable : name ? name : "?", (unsigned long)offset,
        info.dli_fname ? info.dli_fname : "?");
    free(readable);
}
