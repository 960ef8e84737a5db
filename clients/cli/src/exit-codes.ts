/** What the exit code of the command says; scripts can rely on it. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  signedOut: 3,
  refused: 4,
  notConfirmed: 5,
  awaitingApproval: 6,
  noAnswer: 7,
  interrupted: 130,
} as const;

/** One line for each code, for the help and the guide. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: "done",
  failed: "an error of the command itself",
  usage: "an argument is missing or cannot be understood; nothing was sent",
  signedOut: "not signed in, or the credential no longer works or lacks a scope",
  refused: "the service refused the call and says why",
  notConfirmed: "you answered no, or nobody could be asked because --yes is missing",
  awaitingApproval: "a person has to approve in the dashboard; nothing is written until then",
  noAnswer: "no answer of the service, also after several attempts",
  interrupted: "interrupted with Ctrl-C",
};

type ExitName = keyof typeof EXIT;

/** What ends a command with a message for people and an exit code. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exit: ExitName;
  /** A stable word for scripts. */
  readonly code: string;

  constructor(exit: ExitName, code: string, message: string) {
    super(message);
    this.exit = exit;
    this.code = code;
  }
}
