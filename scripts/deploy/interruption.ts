const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 143 } as const;

/** Ctrl-C, or a terminal that is closed: says what to do, and lets what was left behind be deleted at the exit. */
export function onInterruption(next: string): void {
  for (const [signal, code] of Object.entries(EXIT_CODES)) {
    process.once(signal, () => {
      console.error(`\nInterrupted.\nNext: ${next}`);
      process.exit(code);
    });
  }
}
