// lan-host: one host of a LAN made of namespaces, and the door into it. Used by LANKit; needs root.
//
//     lan-host hold NAME SECONDS
//         Makes a host: network, mount, UTS, IPC, PID and time namespaces of its own, /run and /proc of its own, the
//         host name NAME, CLOCK_MONOTONIC and BOOTTIME shifted by SECONDS. Prints the process id of its init and holds
//         it until standard input ends: then everything in it is killed by the kernel. So a host cannot outlive the
//         test that made it, however that dies, and leaves no interface, mount or process.
//     lan-host run PID DIRECTORY COMMAND...
//         Runs a command in the host whose init is PID. The command's process id, as seen from here, is written to
//         descriptor 3. Ends as the command ends; hands SIGINT, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 on to it.
//     lan-host net PID COMMAND...
//         Runs a command in the host's network namespace only.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void fail(const char *what) {
    fprintf(stderr, "lan-host: %s: %s\n", what, strerror(errno));
    exit(125);
}

static void write_file(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0 || write(file, text, strlen(text)) < 0) fail(path);
    close(file);
}

static void raise_loopback(void) {
    int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    if (any < 0 || ioctl(any, SIOCSIFFLAGS, &request) < 0) fail("loopback");
    close(any);
}

static void furnish(const char *name) {
    if (sethostname(name, strlen(name)) < 0) fail("sethostname");
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) fail("private mounts");
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0) fail("mount /proc");
    if (mount("tmpfs", "/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=755") < 0) fail("mount /run");
    if (mkdir("/run/dbus", 0755) < 0 || mkdir("/run/avahi-daemon", 0755) < 0) fail("mkdir in /run");
    // Addresses are usable at once: nobody else is on this LAN.
    write_file("/proc/sys/net/ipv6/conf/default/accept_dad", "0");
    write_file("/proc/sys/net/ipv6/conf/all/accept_dad", "0");
    raise_loopback();
}

static void init_of_host(const char *name, int ready) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    furnish(name);
    if (write(ready, "r", 1) != 1) exit(125);
    close(ready);
    // Orphans are handed to the first process; the kernel buries them by itself when nobody asks for their status.
    signal(SIGCHLD, SIG_IGN);
    for (;;) pause();
}

static int hold(const char *name, const char *seconds) {
    char offsets[128];
    snprintf(offsets, sizeof offsets, "monotonic %s 0\nboottime %s 0\n", seconds, seconds);
    if (unshare(CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWPID | CLONE_NEWTIME) < 0)
        fail("unshare");
    if (strcmp(seconds, "0") != 0) write_file("/proc/self/timens_offsets", offsets);
    int ready[2];
    if (pipe2(ready, O_CLOEXEC) < 0) fail("pipe");
    pid_t init = fork();
    if (init < 0) fail("fork");
    if (init == 0) {
        close(ready[0]);
        init_of_host(name, ready[1]);
    }
    close(ready[1]);
    char byte;
    if (read(ready[0], &byte, 1) != 1) {
        waitpid(init, NULL, 0);
        return 125;
    }
    printf("%d\n", init);
    fflush(stdout);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    while (read(STDIN_FILENO, &byte, 1) > 0 || errno == EINTR) errno = 0;
    kill(init, SIGKILL);
    waitpid(init, NULL, 0);
    return 0;
}

static int open_namespace(const char *pid, const char *kind) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%s/ns/%s", pid, kind);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) fail(path);
    return file;
}

static void enter(const char *pid, const char *const *kinds, int count) {
    int files[8];
    for (int i = 0; i < count; i++) files[i] = open_namespace(pid, kinds[i]);
    for (int i = 0; i < count; i++)
        if (setns(files[i], 0) < 0) fail(kinds[i]);
}

static volatile sig_atomic_t child;

static void hand_on(int signal) {
    if (child > 0) kill(child, signal);
}

static int end_as(int status) {
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    signal(WTERMSIG(status), SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, WTERMSIG(status));
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    prctl(PR_SET_DUMPABLE, 0);
    raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
}

static int run(const char *pid, const char *directory, char **command) {
    // The mount namespace comes last: /proc of the others is read before.
    static const char *const kinds[] = {"net", "uts", "ipc", "time", "pid", "mnt"};
    static const int handed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
    enter(pid, kinds, 6);
    if (chdir(directory) < 0) fail(directory);
    struct sigaction action = {.sa_handler = hand_on, .sa_flags = SA_RESTART};
    for (int i = 0; i < 5; i++) sigaction(handed_on[i], &action, NULL);
    child = fork();
    if (child < 0) fail("fork");
    if (child == 0) {
        for (int i = 0; i < 5; i++) signal(handed_on[i], SIG_DFL);
        close(3);
        execvp(command[0], command);
        fail(command[0]);
    }
    char text[32];
    int length = snprintf(text, sizeof text, "%d\n", (int)child);
    if (write(3, text, length) != length) perror("lan-host: descriptor 3");
    close(3);
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) fail("waitpid");
    return end_as(status);
}

int main(int count, char **arguments) {
    if (count == 4 && strcmp(arguments[1], "hold") == 0) return hold(arguments[2], arguments[3]);
    if (count >= 5 && strcmp(arguments[1], "run") == 0) return run(arguments[2], arguments[3], arguments + 4);
    if (count >= 4 && strcmp(arguments[1], "net") == 0) {
        static const char *const network[] = {"net"};
        enter(arguments[2], network, 1);
        execvp(arguments[3], arguments + 3);
        fail(arguments[3]);
    }
    fprintf(stderr, "usage: lan-host hold NAME SECONDS | run PID DIRECTORY COMMAND... | net PID COMMAND...\n");
    return 64;
}
