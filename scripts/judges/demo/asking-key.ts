import { signInCookie } from "./sign-in-cookie.ts";

/** A key whose confirmations wait for the person. */
export async function createAskingKey(origin: string, user: { email: string; password: string }): Promise<string> {
  const response = await fetch(`${origin}/dashboard/keys`, {
    method: "POST",
    headers: { origin, cookie: await signInCookie(origin, user) },
    body: new URLSearchParams({ name: "Studio assistant", access: "everything", confirms: "person" }),
  });
  const [key] = /alk_[\w-]+/.exec(await response.text()) ?? [];
  if (key === undefined) {
    throw new Error(`creating a key answered ${response.status}`);
  }
  return key;
}

/** A confirmation with such a key is refused, and names what waits for the person. */
export async function requestApproval(origin: string, key: string, token: string): Promise<string> {
  const response = await fetch(`${origin}/v1/posts/confirm`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify({ confirmation_token: token }),
  });
  const { approval } = (await response.json()) as { approval?: { id: string } };
  if (approval === undefined) {
    throw new Error(`asking for an approval answered ${response.status}`);
  }
  return approval.id;
}
