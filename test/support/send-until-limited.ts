/**
 * Sends until the answer is 429, and returns all answers. At most twice the limit and one: a window of the limiter
 * begins at a fixed time of the clock, so that one may end during the test.
 */
export async function sendUntilLimited<T extends { status: number }>(
  limit: number,
  send: (count: number) => Promise<T>,
): Promise<[T, ...T[]]> {
  const answers: [T, ...T[]] = [await send(0)];
  while (answers.at(-1)?.status !== 429 && answers.length < 2 * limit + 1) {
    answers.push(await send(answers.length));
  }
  return answers;
}
