import type { Person } from "./person.ts";
import type { Visit } from "./visit.ts";

/** Adds a passkey of a virtual device, signs in with it, and removes it. */
export async function runPasskey(visit: Visit, person: Person): Promise<void> {
  const { page } = visit;
  const device = await visit.context.newCDPSession(page);
  await device.send("WebAuthn.enable");
  await device.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await visit.go("/dashboard/profile");
  await page.getByLabel("Name of this device").fill("Laptop");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByText("The passkey is added.").waitFor();
  await visit.look("passkey");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL("**/login");
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.waitForURL("**/dashboard");
  await visit.go("/dashboard/profile");
  visit.check(
    "the passkey's owner is signed in",
    await page.getByRole("definition").getByText(person.email).isVisible(),
  );
  await page.locator("summary", { hasText: "Remove" }).click();
  await page.getByRole("button", { name: "Remove Laptop" }).click();
  await page.getByText("The passkey is removed.").waitFor();
}
