// Says which signals come, until SIGTERM: then ends with 9.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void note(int number) {
  char text[64];
  int n = snprintf(text, sizeof text, "got %s\n", sigabbrev_np(number));
  write(1, text, (size_t)n);
  if (number == SIGTERM) _exit(9);
}

int main(int argc, char** argv) {
  int all[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGCONT, SIGINT, SIGQUIT};
  for (unsigned i = 0; i < sizeof all / sizeof *all; ++i) signal(all[i], note);
  if (argc > 1 && !strcmp(argv[1], "ignore-stop")) signal(SIGTSTP, SIG_IGN);
  write(1, "ready\n", 6);
  for (;;) pause();
}
