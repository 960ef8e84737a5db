/** Names of members of forms, queries and JSON whose values give access to something. */
const SECRET_NAME = /token|secret|code|verifier|passw|assertion|^state$|api_?key|jwt/i;
const PUBLIC_NAME = /challenge|type$/i;
/** Values that can be secrets. Shorter values and values of letters alone are error codes, kinds and similar. */
const SECRET_VALUE = /^(?=.*[^a-z_])\S{16,}$/i;

/**
 * The secrets in a JSON value: long values without spaces in members that are named like a secret. Of a URL, the
 * secrets in its query.
 */
export function secretValues(value: unknown, name = ""): string[] {
  if (typeof value === "string") {
    const isUrl = /^https?:\/\//.test(value) && URL.canParse(value);
    return isUrl
      ? Array.from(new URL(value).searchParams).flatMap(([key, inQuery]) => secretValues(inQuery, key))
      : SECRET_NAME.test(name) && !PUBLIC_NAME.test(name) && SECRET_VALUE.test(value)
        ? [value]
        : [];
  }
  return typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, member]) => secretValues(member, Array.isArray(value) ? name : key))
    : [];
}

const MAX_TEXT_BYTES = 64 * 1024;

/** The secrets in the body of a message, if the body is a form or JSON. Reads a copy of the message. */
export async function secretsInBody(message: Request | Response): Promise<string[]> {
  const type = message.headers.get("content-type") ?? "";
  const isForm = type.startsWith("application/x-www-form-urlencoded");
  if (!(isForm || /\bjson\b/.test(type)) || Number(message.headers.get("content-length") ?? 0) > MAX_TEXT_BYTES) {
    return [];
  }
  const text = await message.clone().text();
  try {
    return secretValues(isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text));
  } catch {
    return [];
  }
}

/** The secrets in a call and its response: in the query, the Authorization header, the bodies and the URL of a redirect. */
export async function secretsInCall(
  request: Request,
  response: Response,
  inBody: readonly string[],
): Promise<string[]> {
  const credential = /^\S+ +(\S{16,})$/.exec(request.headers.get("authorization") ?? "")?.[1];
  return [
    ...secretValues(request.url),
    ...(credential === undefined ? [] : [credential]),
    ...inBody,
    ...secretValues(response.headers.get("location") ?? ""),
    ...(await secretsInBody(response)),
  ];
}
