import { call } from "../../service.ts";
import type { PageChecker } from "./page-checker.ts";

/** The app password of the simulated user `ada` at Bluesky. */
const APP_PASSWORD = "adaa-sand-boxx-2222";

async function openConnectPage(checker: PageChecker, platform: string): Promise<void> {
  const { api_key: key } = await call<{ api_key: string }>(checker.origin, "POST", "/sandbox/users", { body: {} });
  const body = { platform };
  const { connect_url: url } = await call<{ connect_url: string }>(checker.origin, "POST", "/v1/accounts", {
    key,
    body,
  });
  await checker.page.goto(url);
}

/** A login with several accounts asks which of them to connect, and refuses an answer without one. */
async function chooseAtLogin(checker: PageChecker): Promise<void> {
  const { page } = checker;
  await openConnectPage(checker, "linkedin");
  await page.getByRole("button", { name: "Continue to LinkedIn" }).click();
  await page.getByRole("link", { name: /ada/ }).first().click();
  await page.getByRole("heading", { name: /^Choose what to connect/ }).waitFor();
  await checker.checkPage("connect-choice");
  await page.getByRole("button", { name: "Connect what is ticked" }).click();
  await page.getByRole("alert").waitFor();
  await checker.checkPage("connect-choice-refused");
  await page.getByRole("checkbox", { name: /Example GmbH/ }).check();
  await page.getByRole("button", { name: "Connect what is ticked" }).click();
  await page.getByRole("heading", { name: "LinkedIn is connected" }).waitFor();
  await checker.checkPage("connected-linkedin");
}

/** Connects accounts without a session: by a redirect, with a server, after a refused server, with an app password. */
export async function runConnectFlow(checker: PageChecker): Promise<void> {
  const { page } = checker;
  await openConnectPage(checker, "x");
  await checker.checkPage("connect-x");
  await page.getByRole("button", { name: "Continue to X" }).click();
  await page.getByRole("link", { name: /ada/ }).first().click();
  await page.getByRole("heading", { name: "X is connected" }).waitFor();
  await checker.checkPage("connected-x");

  await chooseAtLogin(checker);

  await openConnectPage(checker, "mastodon");
  await checker.checkPage("connect-mastodon");
  await page.getByLabel("Server").fill("intranet.local");
  await page.getByRole("button", { name: "Continue to Mastodon" }).click();
  await page.getByRole("alert").waitFor();
  await checker.checkPage("connect-mastodon-refused");
  await page.getByLabel("Server").fill("mastodon.example");
  await page.getByRole("button", { name: "Continue to Mastodon" }).click();
  await page.getByRole("link", { name: /ada/ }).first().click();
  await page.getByRole("heading", { name: "Mastodon is connected" }).waitFor();

  await openConnectPage(checker, "bluesky");
  await checker.checkPage("connect-bluesky");
  const form = page.getByRole("form", { name: "With an app password" });
  await form.getByLabel("Handle").fill("ada.bsky.social");
  await form.getByLabel("App password").fill("wrong-wron-gwro-ngwr");
  await form.getByRole("button", { name: "Connect" }).click();
  await page.getByRole("alert").waitFor();
  await checker.checkPage("connect-bluesky-refused");
  checker.expect("the refused app password is not in the page", !(await page.content()).includes("wrong-wron"));
  await form.getByLabel("App password").fill(APP_PASSWORD);
  await form.getByRole("button", { name: "Connect" }).click();
  await page.getByRole("heading", { name: "Bluesky is connected" }).waitFor();
}
