import { OAuthRefusal, parseParameters } from "#auth/oauth/index.ts";
import { readBodyText } from "#dashboard/request/read-body.ts";
import type { PageContext } from "#dashboard/request/env.ts";

/**
 * Reads the parameters of an OAuth client's request. The body must be form-encoded, with each parameter at most once
 * (RFC 6749 3.2).
 */
export async function readFormBody(c: PageContext): Promise<ReturnType<typeof parseParameters>> {
  const [type] = (c.req.header("content-type") ?? "").split(";");
  if (type?.trim().toLowerCase() !== "application/x-www-form-urlencoded") {
    throw new OAuthRefusal("invalid_request", "the body must be application/x-www-form-urlencoded");
  }
  const form = parseParameters(new URLSearchParams(await readBodyText(c)));
  if (form.repeated.length > 0) {
    throw new OAuthRefusal("invalid_request", "a parameter was sent more than once");
  }
  return form;
}
