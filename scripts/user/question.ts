import { createInterface } from "node:readline/promises";

/** What destroys something was not agreed to; nothing was done. */
export class NotConfirmedError extends Error {
  override readonly name = "NotConfirmedError";
}

/** Asks before something is destroyed. Where nobody can answer, only `--yes` agrees. */
export async function requireAgreement(what: string, isAgreed: boolean): Promise<void> {
  if (isAgreed) {
    return;
  }
  if (!process.stdin.isTTY) {
    throw new NotConfirmedError(`${what}: nobody can be asked here; add --yes if this is meant`);
  }
  // Standard output is for the result.
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${what}. Go on? [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) {
      throw new NotConfirmedError("nothing was done");
    }
  } finally {
    terminal.close();
  }
}
