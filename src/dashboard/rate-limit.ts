import type { PageContext } from "./env.ts";

export function clientAddress(c: PageContext): string {
  return c.req.raw.headers.get("cf-connecting-ip") ?? "unknown";
}

/** Whether this IP address may make another request of this kind; requests without a session are limited per address. */
export async function withinRateLimit(c: PageContext, purpose: string): Promise<boolean> {
  const { success } = await c.env.LIMIT_ANONYMOUS.limit({ key: `${purpose}:${clientAddress(c)}` });
  return success;
}
