import type { PlatformAnswer } from "#platforms/contract.ts";

/** A response as a platform client returns it. */
export async function toPlatformAnswer(response: Response): Promise<PlatformAnswer> {
  return { status: response.status, headers: response.headers, text: await response.text() };
}
