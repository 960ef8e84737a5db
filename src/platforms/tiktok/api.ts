import type { JsonObject } from "#core/json.ts";
import { type Answer, call, isOk, read } from "#platforms/answer.ts";
import type { PlatformClient } from "#platforms/contract.ts";
import { bearer, postJson } from "#platforms/form.ts";
import { Trouble } from "./answers.ts";
import { API } from "./hosts.ts";

/** A call of the API; without a body where the platform wants none. */
export async function ask(client: PlatformClient, path: string, token: string, body?: JsonObject): Promise<Answer> {
  const headers = bearer(token);
  return await call(client, API + path, body === undefined ? { method: "POST", headers } : postJson(body, headers));
}

/** The envelope's own word; null when the answer has none. */
export function codeOf(answer: Answer): string | null {
  return read(Trouble, answer)?.error.code ?? null;
}

/** Some refusals come with status 200: the envelope decides where there is one. */
export function isGranted(answer: Answer): boolean {
  const code = codeOf(answer);
  return code === null ? isOk(answer) : code === "ok";
}
