import { afterEach, describe, test, vi } from "vitest";
import { createUser, signIn } from "#auth/index.ts";
import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import { BrowserClient, signInNewUser, createServiceFixture } from "./service-fixture.ts";
import { STRANGER } from "./test-context.ts";

interface Email {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

const sentEmails: Email[] = [];
const EMAIL = {
  send(email: Email) {
    sentEmails.push(email);
    return Promise.resolve();
  },
};
const service = createServiceFixture({ EMAIL, MAIL_FROM: "almanac@example.com" });
const withoutMailer = createServiceFixture();
const PASSWORD = "correct horse battery staple";

afterEach(() => {
  vi.useRealTimers();
  sentEmails.length = 0;
});

function tokenFrom(email: Email | undefined): string {
  return /token=([A-Za-z0-9_-]{43})$/m.exec(email?.text ?? "")?.[1] ?? "";
}

async function createUserWithPassword() {
  const email = `${crypto.randomUUID()}@example.com`;
  return { email, ...(await createUser(service.services, { email, password: PASSWORD, plan: "growth" })) };
}

const signUpForm = { password: PASSWORD, plan: "growth", time_zone: "UTC" };

describe("e-mails", { timeout: 30_000 }, () => {
  test("without an e-mail binding no page offers one", async ({ expect }) => {
    const visitor = new BrowserClient(withoutMailer);
    expect(await (await visitor.get("/login")).text()).not.toContain("/password/forgot");
    expect((await visitor.get("/password/forgot")).status).toBe(404);
    expect((await visitor.post("/password/forgot", { email: "a@b.de" })).status).toBe(404);
    const { browser } = await signInNewUser(withoutMailer);
    expect(await (await browser.get("/dashboard/profile")).text()).not.toContain("verify-email");
  });

  test("a reset link sets a new password once and ends all sessions", async ({ expect }) => {
    const { email } = await createUserWithPassword();
    const browser = new BrowserClient(service);
    await browser.post("/login", { email, password: PASSWORD });
    const requested = await new BrowserClient(service).post("/password/forgot", { email: email.toUpperCase() });
    expect(requested.status).toBe(200);
    expect(sentEmails).toMatchObject([{ to: email, from: "almanac@example.com" }]);
    const token = tokenFrom(sentEmails[0]);
    const reset = (password: string) =>
      new BrowserClient(service).post("/password/reset", { token, new_password: password });
    expect((await reset("short")).status).toBe(400);
    expect((await reset("another long password")).status).toBe(303);
    expect((await reset("a third long password")).status).toBe(400);
    expect((await browser.get("/dashboard")).status).toBe(303);
    expect(await signIn(service.services, { client: STRANGER, email, password: PASSWORD })).toBeNull();
    expect(
      await signIn(service.services, { client: STRANGER, email, password: "another long password" }),
    ).not.toBeNull();
  });

  test("an unknown e-mail gets the same response and no e-mail", async ({ expect }) => {
    const { email } = await createUserWithPassword();
    const known = await new BrowserClient(service).post("/password/forgot", { email });
    const unknown = await new BrowserClient(service).post("/password/forgot", { email: "nobody@example.com" });
    expect([unknown.status, await unknown.text()]).toEqual([known.status, await known.text()]);
    expect(sentEmails).toHaveLength(1);
  });

  test("a reset link expires after 30 minutes, or when the password is changed", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { email } = await createUserWithPassword();
    await new BrowserClient(service).post("/password/forgot", { email });
    await new BrowserClient(service).post("/password/forgot", { email });
    const [first, second] = sentEmails.map(tokenFrom);
    const reset = (token: string | undefined) =>
      new BrowserClient(service).post("/password/reset", { token, new_password: "another long password" });
    expect((await reset(first)).status).toBe(303);
    expect((await reset(second)).status).toBe(400);
    await new BrowserClient(service).post("/password/forgot", { email });
    vi.setSystemTime(Date.now() + 30 * MINUTE);
    expect((await reset(tokenFrom(sentEmails[2]))).status).toBe(400);
  });

  describe("mails to one address", () => {
    const hours = (count: number) => vi.setSystemTime(Date.now() + count * HOUR + 1000);
    const ask = (email: string) => new BrowserClient(service).post("/password/forgot", { email });

    test("are at most 5 in an hour and 20 in a day, whoever asks and by whichever form; the answer stays the same", async ({
      expect,
    }) => {
      vi.useFakeTimers({ toFake: ["Date"] });
      const { email } = await createUserWithPassword();
      const answers = [];
      for (let count = 0; count < 8; count++) {
        const answer = await ask(email);
        answers.push([answer.status, await answer.text()]);
      }
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      expect(sentEmails).toHaveLength(5);
      await new BrowserClient(service).post("/signup", { ...signUpForm, email });
      expect(sentEmails).toHaveLength(5);
      for (let hour = 1; hour <= 5; hour++) {
        hours(1);
        for (let count = 0; count < 6; count++) {
          await ask(email);
        }
      }
      expect(sentEmails).toHaveLength(20);
      hours(19);
      await ask(email);
      expect(sentEmails).toHaveLength(21);
    });

    test("of parallel requests exactly five are answered by a mail, and another address gets its own", async ({
      expect,
    }) => {
      const [first, second] = [await createUserWithPassword(), await createUserWithPassword()];
      await Promise.all(Array.from({ length: 12 }, () => ask(first.email)));
      await ask(second.email);
      expect(sentEmails.filter(({ to }) => to === first.email)).toHaveLength(5);
      expect(sentEmails.filter(({ to }) => to === second.email)).toHaveLength(1);
    });

    test("sign-ups with somebody's address leave him the links of a reset", async ({ expect }) => {
      const { email } = await createUserWithPassword();
      for (let count = 0; count < 6; count++) {
        await new BrowserClient(service).post("/signup", { ...signUpForm, email });
      }
      expect(sentEmails).toHaveLength(2);
      for (let count = 0; count < 6; count++) {
        await ask(email);
      }
      expect(sentEmails).toHaveLength(5);
      expect(tokenFrom(sentEmails[4])).not.toBe("");
    });

    test("that confirm it count too", async ({ expect }) => {
      const { browser, email } = await signInNewUser(service);
      for (let count = 0; count < 7; count++) {
        await browser.post("/dashboard/profile/verify-email");
      }
      expect(sentEmails.map(({ to }) => to)).toEqual([email, email, email, email, email]);
    });
  });

  test("a verification link confirms the e-mail by a click, once", async ({ expect }) => {
    const { browser } = await signInNewUser(service);
    await browser.post("/dashboard/profile/verify-email");
    const token = tokenFrom(sentEmails[0]);
    expect(await (await browser.get("/dashboard/profile")).text()).toContain("Not yet");
    // A mail scanner that opens the link confirms nothing.
    await new BrowserClient(service).get(`/verify-email?token=${token}`);
    expect(await (await browser.get("/dashboard/profile")).text()).toContain("Not yet");
    expect((await new BrowserClient(service).post("/verify-email", { token })).status).toBe(200);
    expect((await new BrowserClient(service).post("/verify-email", { token })).status).toBe(400);
    expect(await (await browser.get("/dashboard/profile")).text()).not.toContain("Not yet");
  });

  test("sign-up looks the same for a new and a known e-mail; only the mailbox tells them apart", async ({ expect }) => {
    const { email: known } = await createUserWithPassword();
    const fresh = `${crypto.randomUUID()}@example.com`;
    const answers = [];
    for (const email of [known, fresh, fresh]) {
      const browser = new BrowserClient(service);
      const response = await browser.post("/signup", { ...signUpForm, email });
      const headers = [...response.headers].filter(([name]) => name !== "date");
      answers.push({ status: response.status, headers, body: await response.text() });
      expect(browser.session).toBeUndefined();
      // Trying the password of the form afterwards tells nothing either.
      expect(await signIn(service.services, { client: STRANGER, email: fresh, password: PASSWORD })).toBeNull();
    }
    expect(answers[0]?.status).toBe(200);
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    expect(sentEmails.map(({ to }) => to)).toEqual([known, fresh, fresh]);
    const [toKnown, toFresh, again] = sentEmails;
    expect(toKnown?.text).toContain("/login");
    expect([tokenFrom(toKnown), tokenFrom(toFresh), tokenFrom(again)].map((token) => token.length)).toEqual([
      0, 43, 43,
    ]);
    expect(await signIn(service.services, { client: STRANGER, email: known, password: PASSWORD })).not.toBeNull();
  });

  test("the link of a sign-up sets the password and verifies the e-mail, within a day", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const email = `${crypto.randomUUID()}@example.com`;
    const form = await (await new BrowserClient(service).get("/signup")).text();
    expect(form).not.toContain('name="password"');
    await new BrowserClient(service).post("/signup", { ...signUpForm, email });
    vi.setSystemTime(Date.now() + DAY - 1);
    const browser = new BrowserClient(service);
    const set = await browser.post("/password/reset", { token: tokenFrom(sentEmails[0]), new_password: PASSWORD });
    expect(set.status).toBe(303);
    expect((await browser.post("/login", { email, password: PASSWORD })).status).toBe(303);
    expect(await (await browser.get("/dashboard/profile")).text()).not.toContain("Not yet");
  });

  test("a sign-up with an invalid field is refused before anything is sent", async ({ expect }) => {
    for (const wrong of [{ email: "a@b" }, { email: "a@b.de", time_zone: "Mars/Olympus" }]) {
      expect((await new BrowserClient(service).post("/signup", { ...signUpForm, ...wrong })).status).toBe(400);
    }
    expect(sentEmails).toEqual([]);
  });

  test.for(["first", "closed"])("SIGNUP=%s refuses a known and an unknown e-mail alike", async (SIGNUP, { expect }) => {
    const limited = createServiceFixture({ EMAIL, MAIL_FROM: "almanac@example.com", SIGNUP });
    const { email } = await createUserWithPassword();
    const [known, unknown] = await Promise.all(
      [email, "nobody-here@example.com"].map(async (address) => {
        const response = await new BrowserClient(limited).post("/signup", { ...signUpForm, email: address });
        return [response.status, (await response.text()).replaceAll(address, "")];
      }),
    );
    expect(known?.[0]).toBe(400);
    expect(unknown).toEqual(known);
    expect(sentEmails).toEqual([]);
  });

  test("a token of one purpose is refused for another", async ({ expect }) => {
    const { browser } = await signInNewUser(service);
    await browser.post("/dashboard/profile/verify-email");
    const token = tokenFrom(sentEmails[0]);
    expect(token).not.toBe("");
    const misused = await new BrowserClient(service).post("/password/reset", {
      token,
      new_password: "another long password",
    });
    expect(misused.status).toBe(400);
  });
});
