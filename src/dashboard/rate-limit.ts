import { clientAddress } from "#core/client-address.ts";
import type { PageContext } from "./env.ts";

/** Whether this IP address may make another request of this kind; requests without a session are limited per address. */
export async function withinRateLimit(c: PageContext, purpose: string): Promise<boolean> {
  const { success } = await c.env.LIMIT_ANONYMOUS.limit({ key: `${purpose}:${clientAddress(c.req.raw.headers)}` });
  return success;
}
