import { ConsentingUser } from "../judges/oauth/consenting-user.ts";

/*
 * What the guides open as a browser (`BROWSER`): logs in as `ada` at the simulated platform behind a connect URL, and allows an app that asks
 * for consent, as the user of GUIDE_EMAIL and GUIDE_PASSWORD.
 */

/** The forms of a connect URL, from the page that names the workspace to the one that says that it is done; chooses every account. */
async function connect(url: URL): Promise<void> {
  const jar = new Map<string, string>();
  let request: { url: URL; form?: readonly (readonly [string, string])[] } = {
    url,
    form: [
      ["method", "oauth"],
      ["login", "ada"],
    ],
  };
  for (;;) {
    const { form } = request;
    const response = await fetch(request.url, {
      redirect: "manual",
      headers: { origin: url.origin, cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(form && { method: "POST", body: new URLSearchParams(form.map(([name, value]) => [name, value])) }),
    });
    const page = await response.text();
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      jar.set(name, value);
    }
    const next = response.headers.get("location");
    if (next === null) {
      if (!response.ok) {
        throw new Error(`${request.url.href} answered ${response.status}`);
      }
      const offered = Array.from(page.matchAll(/name="account" value="([^"]*)"/g), ([, id = ""]) => id);
      if (offered.length === 0) {
        return;
      }
      request = { url: request.url, form: offered.map((id) => ["account", id] as const) };
      continue;
    }
    request = { url: new URL(next, request.url) };
  }
}

const address = new URL(process.argv[2] ?? "");
if (address.pathname.startsWith("/connect/")) {
  await connect(address);
} else {
  const { GUIDE_EMAIL = "", GUIDE_PASSWORD = "" } = process.env;
  const user = await ConsentingUser.signIn(address.origin, GUIDE_EMAIL, GUIDE_PASSWORD);
  const response = await fetch(await user.allow(address));
  await response.arrayBuffer();
}
