/** Signs the user of the workspace in; returns the header that keeps the session. */
export async function signInCookie(
  origin: string,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<string> {
  const response = await fetch(`${origin}/login`, {
    method: "POST",
    redirect: "manual",
    headers: { origin },
    body: new URLSearchParams({ email, password, next: "/dashboard" }),
  });
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(";")[0]);
  if (cookies.length === 0) {
    throw new Error(`signing in answered ${response.status}`);
  }
  return cookies.join("; ");
}
