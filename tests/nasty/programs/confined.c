// A sandbox that refuses system calls. usage: confined ACTION MODE; ACTION: refuse|kill; MODE: late|exec|work
// The refused ones are those that no heap needs: files, sockets, memfd, other processes' memory.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const int kRefused[] = {
    SYS_socket,       SYS_connect,   SYS_sendmsg,   SYS_sendto,           SYS_recvmsg,
    SYS_memfd_create, SYS_ftruncate, SYS_fallocate, SYS_process_vm_readv, SYS_ptrace,
    SYS_getrusage,    SYS_mincore,   SYS_dup3,      SYS_setsockopt,       SYS_setitimer};
enum { kCount = sizeof kRefused / sizeof *kRefused };

static int confine(unsigned action) {
  struct sock_filter code[kCount + 3];
  code[0] =
      (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (int i = 0; i < kCount; ++i)
    code[1 + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)kRefused[i],
                                               (unsigned char)(kCount - i), 0);
  code[kCount + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  code[kCount + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
  struct sock_fprog program = {kCount + 3, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void* allocate(void* bad) {
  for (int i = 0; i < 3000; ++i) {
    char* p = malloc((size_t)(i * 977 % 400000));
    char* q = calloc(1, 5000);
    q = realloc(q, 150000 + (size_t)i);
    *(int*)bad += !p || !q || q[4999] != 0;
    free(p);
    free(q);
  }
  return bad;
}

static int work(void) {
  int bad[3] = {0};
  char* kept = malloc(20 << 20);
  memset(kept, 1, 20 << 20);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, allocate, &bad[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    allocate(&bad[2]);
    _exit(bad[2]);
  }
  int status = 1;
  waitpid(child, &status, 0);
  printf("bad: %d %d, child: %d, kept: %d\n", bad[0], bad[1], status, kept[20 << 19]);
  return 17;
}

int main(int argc, char** argv) {
  if (argc > 2 && !strcmp(argv[2], "work")) return work();
  int before = 0;
  allocate(&before);
  unsigned action =
      !strcmp(argv[1], "kill") ? SECCOMP_RET_KILL_PROCESS : (SECCOMP_RET_ERRNO | EPERM);
  if (confine(action)) return 97;
  if (!strcmp(argv[2], "late")) return work();
  execl(argv[0], argv[0], argv[1], "work", (char*)NULL);
  return 99;
}
