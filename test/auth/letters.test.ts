import { afterEach, describe, test, vi } from "vitest";
import { createUser, signIn } from "#auth/index.ts";
import { MINUTE } from "#core/clock.ts";
import { Browser, signedIn, stage } from "./stage.ts";

interface Letter {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

const letters: Letter[] = [];
const EMAIL = {
  send(letter: Letter) {
    letters.push(letter);
    return Promise.resolve();
  },
};
const on = stage({ EMAIL, MAIL_FROM: "almanac@example.com" });
const bare = stage();
const PASSWORD = "correct horse battery staple";

afterEach(() => {
  vi.useRealTimers();
  letters.length = 0;
});

function tokenIn(letter: Letter | undefined): string {
  return /token=([A-Za-z0-9_-]{43})$/m.exec(letter?.text ?? "")?.[1] ?? "";
}

async function member() {
  const email = `${crypto.randomUUID()}@example.com`;
  return { email, ...(await createUser(on.services, { email, password: PASSWORD, plan: "growth" })) };
}

describe("letters", { timeout: 30_000 }, () => {
  test("without a binding nothing offers one", async ({ expect }) => {
    const visitor = new Browser(bare);
    expect(await (await visitor.get("/login")).text()).not.toContain("/password/forgot");
    expect((await visitor.get("/password/forgot")).status).toBe(404);
    expect((await visitor.post("/password/forgot", { email: "a@b.de" })).status).toBe(404);
    const { browser } = await signedIn(bare);
    expect(await (await browser.get("/dashboard/profile")).text()).not.toContain("verify-email");
  });

  test("a reset link sets a new password once and signs everybody out", async ({ expect }) => {
    const { email } = await member();
    const visitor = new Browser(on);
    await visitor.post("/login", { email, password: PASSWORD });
    const asked = await new Browser(on).post("/password/forgot", { email: email.toUpperCase() });
    expect(asked.status).toBe(200);
    expect(letters).toMatchObject([{ to: email, from: "almanac@example.com" }]);
    const token = tokenIn(letters[0]);
    const reset = (password: string) => new Browser(on).post("/password/reset", { token, new_password: password });
    expect((await reset("short")).status).toBe(400);
    expect((await reset("another long password")).status).toBe(303);
    expect((await reset("a third long password")).status).toBe(400);
    expect((await visitor.get("/dashboard")).status).toBe(303);
    expect(await signIn(on.services, { email, password: PASSWORD })).toBeNull();
    expect(await signIn(on.services, { email, password: "another long password" })).not.toBeNull();
  });

  test("an unknown e-mail is answered alike and gets nothing", async ({ expect }) => {
    const { email } = await member();
    const known = await new Browser(on).post("/password/forgot", { email });
    const unknown = await new Browser(on).post("/password/forgot", { email: "nobody@example.com" });
    expect([unknown.status, await unknown.text()]).toEqual([known.status, await known.text()]);
    expect(letters).toHaveLength(1);
  });

  test("a reset link ends after 30 minutes, and with the password it would replace", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { email } = await member();
    await new Browser(on).post("/password/forgot", { email });
    await new Browser(on).post("/password/forgot", { email });
    const [first, second] = letters.map(tokenIn);
    const reset = (token: string | undefined) =>
      new Browser(on).post("/password/reset", { token, new_password: "another long password" });
    expect((await reset(first)).status).toBe(303);
    expect((await reset(second)).status).toBe(400);
    await new Browser(on).post("/password/forgot", { email });
    vi.setSystemTime(Date.now() + 30 * MINUTE);
    expect((await reset(tokenIn(letters[2]))).status).toBe(400);
  });

  test("sign-up sends a link that confirms the e-mail by a click, once", async ({ expect }) => {
    const browser = new Browser(on);
    const email = `${crypto.randomUUID()}@example.com`;
    await browser.post("/signup", { email, password: PASSWORD, plan: "growth", time_zone: "UTC" });
    const token = tokenIn(letters[0]);
    expect(await (await browser.get("/dashboard/profile")).text()).toContain("Not yet");
    // A mail scanner that follows the link confirms nothing.
    await new Browser(on).get(`/verify-email?token=${token}`);
    expect(await (await browser.get("/dashboard/profile")).text()).toContain("Not yet");
    expect((await new Browser(on).post("/verify-email", { token })).status).toBe(200);
    expect((await new Browser(on).post("/verify-email", { token })).status).toBe(400);
    expect(await (await browser.get("/dashboard/profile")).text()).not.toContain("Not yet");
  });

  test("a token of one purpose is worth nothing for the other", async ({ expect }) => {
    const { browser } = await signedIn(on);
    await browser.post("/dashboard/profile/verify-email");
    const token = tokenIn(letters[0]);
    expect(token).not.toBe("");
    const misused = await new Browser(on).post("/password/reset", { token, new_password: "another long password" });
    expect(misused.status).toBe(400);
  });
});
