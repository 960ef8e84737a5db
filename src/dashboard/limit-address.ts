import type { PageContext } from "./env.ts";

export function callerAddress(c: PageContext): string {
  return c.req.raw.headers.get("cf-connecting-ip") ?? "unknown";
}

/** Whether this address may do that once more this minute; what is not signed in is counted per address. */
export async function mayCall(c: PageContext, purpose: string): Promise<boolean> {
  const { success } = await c.env.LIMIT_ANONYMOUS.limit({ key: `${purpose}:${callerAddress(c)}` });
  return success;
}
