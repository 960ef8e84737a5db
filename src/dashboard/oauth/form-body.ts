import { OAuthRefusal, readParameters } from "#auth/oauth/index.ts";
import { bodyText } from "#dashboard/body-text.ts";
import type { PageContext } from "#dashboard/env.ts";

/** The parameters of a client's request: form-encoded and nothing else, each once (RFC 6749 3.2). */
export async function readFormBody(c: PageContext): Promise<ReturnType<typeof readParameters>> {
  const [type] = (c.req.header("content-type") ?? "").split(";");
  if (type?.trim().toLowerCase() !== "application/x-www-form-urlencoded") {
    throw new OAuthRefusal("invalid_request", "the body must be application/x-www-form-urlencoded");
  }
  const form = readParameters(new URLSearchParams(await bodyText(c)));
  if (form.repeated.length > 0) {
    throw new OAuthRefusal("invalid_request", "a parameter was sent more than once");
  }
  return form;
}
