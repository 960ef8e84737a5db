import type { BrowserUser } from "./account-pages.ts";
import type { PageChecker } from "./page-checker.ts";

/** Adds a passkey of a virtual authenticator, signs in with it, and removes it. */
export async function runPasskeyFlow(checker: PageChecker, user: BrowserUser): Promise<void> {
  const { page } = checker;
  const authenticator = await checker.context.newCDPSession(page);
  await authenticator.send("WebAuthn.enable");
  await authenticator.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await checker.open("/dashboard/profile");
  await page.getByLabel("Device name").fill("Laptop");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByText("The passkey is added.").waitFor();
  await checker.checkPage("passkey");
  await page.locator("summary", { hasText: "Menu" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL("**/login");
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.waitForURL("**/dashboard");
  await checker.open("/dashboard/profile");
  checker.expect(
    "the passkey's owner is signed in",
    await page.getByRole("definition").getByText(user.email).isVisible(),
  );
  await page.locator("summary", { hasText: "Remove" }).click();
  await page.getByRole("button", { name: "Remove Laptop" }).click();
  await page.getByText("The passkey is removed.").waitFor();
}
