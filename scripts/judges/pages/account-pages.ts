import type { PageChecker } from "./page-checker.ts";

export interface BrowserUser {
  readonly email: string;
  readonly password: string;
}

async function signIn({ page }: PageChecker, { email, password }: BrowserUser): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** Checks sign-up, creating and revoking a key, profile, plan, workspaces, sign-out, a wrong password and sign-in. */
export async function runAccountPages(checker: PageChecker, user: BrowserUser): Promise<void> {
  const { page } = checker;
  await checker.open("/signup");
  await checker.checkPage("sign-up");
  await page.getByLabel("E-mail").fill(user.email);
  await page.getByLabel("Password").fill(user.password);
  await page.getByRole("radio", { name: /Scale/ }).check();
  await page.getByRole("button", { name: "Create account" }).click();
  await page.waitForURL("**/dashboard");
  await checker.checkPage("overview");

  await checkKeys(checker);
  await checker.open("/dashboard/how-to-connect");
  await checker.checkPage("how-to-connect");
  await checker.open("/dashboard/apps");
  await checker.checkPage("apps-empty");
  await checker.open("/dashboard/plan");
  await checker.checkPage("plan");
  await checkWorkspaces(checker);
  await checkProfile(checker, user);
  await checkSignIn(checker, user);
}

async function checkKeys(checker: PageChecker): Promise<void> {
  const { page } = checker;
  await checker.open("/dashboard/keys");
  await checker.checkPage("keys-empty");
  await page.getByLabel("Name").fill("nightly import");
  await page.getByRole("radio", { name: /Choose permissions/ }).check();
  await page.getByRole("checkbox", { name: /posts:write/ }).check();
  await checker.checkPage("key-permissions");
  await page.getByRole("radio", { name: /Schedule posts/ }).check();
  checker.expect("a preset hides the permissions", await page.getByRole("checkbox").first().isHidden());
  await page.getByRole("button", { name: "Create key" }).click();
  const key = (await page.locator(".new-key code").textContent()) ?? "";
  checker.expect("the key is shown once", /^alk_[0-9A-Za-z]{49}$/.test(key));
  await checker.checkPage("key-created");

  const accepted = await page.request.get(`${checker.origin}/v1/accounts`, {
    headers: { authorization: `Bearer ${key}` },
  });
  checker.expect("the key is accepted by the API", accepted.status() === 200);
  await checker.open("/dashboard/keys");
  checker.expect("the list does not contain the key", !(await page.content()).includes(key));

  await page.locator("summary", { hasText: "Rotate" }).click();
  await page.getByRole("button", { name: "Rotate nightly import" }).click();
  checker.expect("rotation creates a new key", (await page.locator(".new-key code").textContent()) !== key);
  await checker.open("/dashboard/keys");
  await page.locator("summary", { hasText: "Revoke" }).last().click();
  await checker.checkPage("key-revoke");
  await page.getByRole("button", { name: "Revoke nightly import" }).click();
  await page.getByText("The key is revoked.").waitFor();
  const refused = await page.request.get(`${checker.origin}/v1/accounts`, {
    headers: { authorization: `Bearer ${key}` },
  });
  checker.expect("a revoked key is refused immediately", refused.status() === 401);
  await checker.checkPage("keys");

  await page.getByLabel("Name").fill(" ");
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByText("The name must have 1 to 60 characters.").waitFor();
  await checker.checkPage("key-refused");
}

async function checkWorkspaces(checker: PageChecker): Promise<void> {
  const { page } = checker;
  await checker.open("/dashboard/workspaces");
  await page.getByLabel("Name", { exact: true }).fill("Client Nordlicht");
  await page.getByRole("button", { name: "Create workspace" }).click();
  await page.getByRole("heading", { name: "Client Nordlicht" }).waitFor();
  await page.getByRole("button", { name: "Switch to Client Nordlicht" }).click();
  await page.getByText("You switched workspaces.").waitFor();
  await page.locator("summary", { hasText: "Rename" }).last().click();
  await page.getByLabel("New name").last().fill("Nordlicht GmbH");
  await checker.checkPage("workspaces");
  await page.getByRole("button", { name: "Rename" }).last().click();
  await page.getByRole("heading", { name: "Nordlicht GmbH" }).waitFor();
}

async function checkProfile(checker: PageChecker, user: BrowserUser): Promise<void> {
  const { page } = checker;
  await checker.open("/dashboard/profile");
  await page.getByLabel("Time zone").selectOption("Asia/Tokyo");
  await page.getByRole("region", { name: "Account" }).getByRole("button", { name: "Save" }).click();
  await page.getByText("Your time zone was saved.").waitFor();
  await page.getByLabel("Current password").fill("not the password");
  await page.getByLabel("New password").fill(user.password);
  await page.getByRole("button", { name: "Set password" }).click();
  await page.getByText("The current password is wrong.").waitFor();
  await checker.checkPage("profile");
}

async function checkSignIn(checker: PageChecker, user: BrowserUser): Promise<void> {
  const { page } = checker;
  await page.locator("summary", { hasText: "Menu" }).click();
  await checker.checkPage("menu");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL("**/login");
  await signIn(checker, { ...user, password: "wrong horse battery" });
  await page.getByText("Wrong e-mail or password.").waitFor();
  await checker.checkPage("sign-in-wrong");
  await checker.open("/dashboard/profile");
  checker.expect("an unauthenticated user is redirected to sign in", page.url().includes("/login?next="));
  await signIn(checker, user);
  await page.waitForURL("**/dashboard/profile");
}
