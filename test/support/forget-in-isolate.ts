import { env } from "cloudflare:workers";
import { forgetCredential } from "#auth/bearer/remembered-credentials.ts";
import { hashSecret } from "#auth/secrets.ts";
import { readConfig } from "#config.ts";

/** Makes this isolate another one of the same location: it does not remember the credential. */
export async function forgetInIsolate({ key }: { readonly key: string }): Promise<void> {
  const { baseUrl } = readConfig(env);
  forgetCredential({ kind: "api_key", hash: await hashSecret(key), resource: baseUrl, workspace: null });
}
