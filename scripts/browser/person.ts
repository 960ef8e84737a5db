import type { Visit } from "./visit.ts";

export interface Person {
  readonly email: string;
  readonly password: string;
}

async function signIn({ page }: Visit, { email, password }: Person): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** Sign-up, a key and its end, profile, plan, workspaces, sign-out, a wrong password, sign-in. */
export async function runPerson(visit: Visit, person: Person): Promise<void> {
  const { page } = visit;
  await visit.go("/signup");
  await visit.look("sign-up");
  await page.getByLabel("E-mail").fill(person.email);
  await page.getByLabel("Password").fill(person.password);
  await page.getByRole("radio", { name: /Scale/ }).check();
  await page.getByRole("button", { name: "Create account" }).click();
  await page.waitForURL("**/dashboard");
  await visit.look("overview");

  await keys(visit);
  await visit.go("/dashboard/how-to-connect");
  await visit.look("how-to-connect");
  await visit.go("/dashboard/apps");
  await visit.look("apps-empty");
  await visit.go("/dashboard/plan");
  await visit.look("plan");
  await workspaces(visit);
  await profile(visit, person);
  await signInAgain(visit, person);
}

async function keys(visit: Visit): Promise<void> {
  const { page } = visit;
  await visit.go("/dashboard/keys");
  await visit.look("keys-empty");
  await page.getByLabel("Name").fill("nightly import");
  await page.getByRole("checkbox", { name: /posts:write/ }).check();
  await page.getByRole("button", { name: "Create key" }).click();
  const shown = (await page.locator(".fresh code").textContent()) ?? "";
  visit.check("the key is shown once", /^alk_[0-9A-Za-z]{49}$/.test(shown));
  await visit.look("key-shown");

  const answer = await page.request.get(`${visit.origin}/v1/accounts`, {
    headers: { authorization: `Bearer ${shown}` },
  });
  visit.check("the key opens the API", answer.status() === 200);
  await visit.go("/dashboard/keys");
  visit.check("the list does not hold the key", !(await page.content()).includes(shown));

  await page.locator("summary", { hasText: "Rotate" }).click();
  await page.getByRole("button", { name: "Rotate nightly import" }).click();
  visit.check("a rotated key is new", (await page.locator(".fresh code").textContent()) !== shown);
  await visit.go("/dashboard/keys");
  await page.locator("summary", { hasText: "Revoke" }).last().click();
  await visit.look("key-revoke");
  await page.getByRole("button", { name: "Revoke nightly import" }).click();
  await page.getByText("The key is revoked.").waitFor();
  const refused = await page.request.get(`${visit.origin}/v1/accounts`, {
    headers: { authorization: `Bearer ${shown}` },
  });
  visit.check("a revoked key is refused at once", refused.status() === 401);
  await visit.look("keys");

  await page.getByLabel("Name").fill(" ");
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByText("The name needs 1 to 60 characters.").waitFor();
  await visit.look("key-refused");
}

async function workspaces(visit: Visit): Promise<void> {
  const { page } = visit;
  await visit.go("/dashboard/workspaces");
  await page.getByLabel("Name", { exact: true }).fill("Client Nordlicht");
  await page.getByRole("button", { name: "Create workspace" }).click();
  await page.getByRole("heading", { name: "Client Nordlicht" }).waitFor();
  await page.getByRole("button", { name: "Switch to Client Nordlicht" }).click();
  await page.getByText("You are in the other workspace now.").waitFor();
  await page.locator("summary", { hasText: "Rename" }).last().click();
  await page.getByLabel("New name").last().fill("Nordlicht GmbH");
  await visit.look("workspaces");
  await page.getByRole("button", { name: "Rename" }).last().click();
  await page.getByRole("heading", { name: "Nordlicht GmbH" }).waitFor();
}

async function profile(visit: Visit, person: Person): Promise<void> {
  const { page } = visit;
  await visit.go("/dashboard/profile");
  await page.getByLabel("Time zone").selectOption("Asia/Tokyo");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Your time zone is set.").waitFor();
  await page.getByLabel("Current password").fill("not the password");
  await page.getByLabel("New password").fill(person.password);
  await page.getByRole("button", { name: "Set the password" }).click();
  await page.getByText("The current password is not right.").waitFor();
  await visit.look("profile");
}

async function signInAgain(visit: Visit, person: Person): Promise<void> {
  const { page } = visit;
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL("**/login");
  await signIn(visit, { ...person, password: "wrong horse battery" });
  await page.getByText("E-mail or password is not right.").waitFor();
  await visit.look("sign-in-wrong");
  await visit.go("/dashboard/profile");
  visit.check("a stranger is sent to sign in", page.url().includes("/login?next="));
  await signIn(visit, person);
  await page.waitForURL("**/dashboard/profile");
}
