import type { Browser, BrowserContext, BrowserContextOptions } from "playwright-core";
import type { DemoWorkspace } from "./demo-workspace.ts";

const AVATAR = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><rect width="40" height="40" fill="#d9c7a3"/>
  <circle cx="20" cy="16" r="7" fill="#7a5c3e"/><path d="M6 40a14 14 0 0 1 28 0z" fill="#1f5a45"/></svg>`;

/** A browser window in which the user of the workspace is signed in. */
export async function openSignedIn(
  browser: Browser,
  origin: string,
  user: Pick<DemoWorkspace, "email" | "password">,
  options: BrowserContextOptions,
): Promise<BrowserContext> {
  const context = await browser.newContext({ locale: "en-GB", ...options });
  // Avatars of the simulated platforms, whose hosts exist nowhere.
  await context.route(
    (url) => url.origin !== origin,
    (route) => route.fulfill({ contentType: "image/svg+xml", body: AVATAR }),
  );
  const response = await context.request.post(`${origin}/login`, {
    form: { email: user.email, password: user.password, next: "/dashboard" },
    headers: { origin },
  });
  if (!response.ok()) {
    throw new Error(`signing in answered ${response.status()}`);
  }
  return context;
}
