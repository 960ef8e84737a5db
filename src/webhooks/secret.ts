import type { Services } from "#context.ts";
import { seal } from "#core/aes-gcm.ts";
import { toBase64 } from "#core/encoding.ts";

const SECRET_BYTES = 32;

/**
 * Creates a signing secret in the form of Standard Webhooks, and its encrypted form for the database. A hash would not
 * do, because signing needs the secret itself.
 */
export async function createSecret(
  { config, ids }: Pick<Services, "config" | "ids">,
  webhookId: string,
): Promise<{ secret: string; sealedSecret: string }> {
  const secret = `whsec_${toBase64(ids.random(SECRET_BYTES))}`;
  return { secret, sealedSecret: await seal(config, ids, webhookId, secret) };
}
