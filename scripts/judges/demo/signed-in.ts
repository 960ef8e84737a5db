import type { Browser, BrowserContext, BrowserContextOptions } from "playwright-core";
import { AVATAR } from "./avatar.ts";
import type { DemoWorkspace } from "./demo-workspace.ts";

/** A browser window in which the user of the workspace is signed in. */
export async function openSignedIn(
  browser: Browser,
  origin: string,
  user: Pick<DemoWorkspace, "email" | "password">,
  options: BrowserContextOptions,
): Promise<BrowserContext> {
  const context = await browser.newContext({ locale: "en-GB", ...options });
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
