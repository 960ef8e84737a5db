import type { Topic } from "./attack.ts";
import type { AttackedService, AttackUser } from "./attacked-service.ts";

/** A login whose callback was not sent yet: its link, its callback, and the cookies of the browser that started it. */
interface PendingLogin {
  readonly link: string;
  readonly callback: string;
  readonly cookie: string;
}

const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url, "http://localhost");
  return pathname + search;
};

async function requestLink(service: AttackedService, { key }: AttackUser, platform = "x"): Promise<string> {
  const { json } = await service.prepare("POST", "/v1/accounts", { key, json: { platform } });
  return pathOf(json.connect_url);
}

/** Sends the form of a connect link. Returns the platform's page and the browser's cookie. */
async function openPlatform(
  service: AttackedService,
  user: AttackUser,
  platform = "x",
  input: Readonly<Record<string, string>> = {},
): Promise<{ readonly link: string; readonly page: string; readonly cookie: string }> {
  const link = await requestLink(service, user, platform);
  const started = await service.prepare("POST", link, { form: { method: "oauth", login: "ada", ...input } });
  return { link, page: pathOf(started.location ?? ""), cookie: started.cookies.join("; ") };
}

async function startLogin(
  service: AttackedService,
  user: AttackUser,
  platform = "x",
  input: Readonly<Record<string, string>> = {},
): Promise<PendingLogin> {
  const { link, page, cookie } = await openPlatform(service, user, platform, input);
  const consented = await service.prepare("GET", page);
  return { link, callback: pathOf(consented.location ?? ""), cookie };
}

const LINKEDIN_PAGE = "urn:li:organization:5515715";

/**
 * Finishes a login with several accounts. Returns its page with the choice, and the browser's cookies now and before
 * the login ended.
 */
async function startChoice(service: AttackedService, user: AttackUser) {
  const { callback, cookie: before } = await startLogin(service, user, "linkedin");
  const finished = await service.prepare("GET", callback, { cookie: before });
  return { choice: pathOf(finished.location ?? ""), cookie: finished.cookies.join("; "), before };
}

/** How many token requests the simulated servers of a platform got. */
async function tokenCallsOf(service: AttackedService, platform: string): Promise<number> {
  const { json } = await service.prepare("GET", `/sandbox/platforms/${platform}/calls`);
  const calls: { readonly path: string }[] = json.calls;
  return calls.filter(({ path }) => path === "/oauth/token").length;
}

async function accountsOf(service: AttackedService, { key }: AttackUser): Promise<number> {
  const { json } = await service.prepare("POST", "/v1/accounts/sync", { key });
  return json.accounts.length;
}

export default {
  topic: "connect",
  attacks: [
    {
      name: "a stranger's callback is opened in the victim's browser, without a cookie and with those of other logins",
      async run(service, log) {
        const stranger = await service.createUser();
        const { callback, cookie } = await startLogin(service, stranger);
        const other = await startLogin(service, await service.createUser());
        log.expectStatus("without a cookie", await service.send("GET", callback), 400);
        log.expectStatus("another login's cookie", await service.send("GET", callback, { cookie: other.cookie }), 400);
        const [name = ""] = cookie.split("=");
        const [, otherValue = ""] = other.cookie.split("=");
        const forged = `${name}=${otherValue}`;
        log.expectStatus("another cookie's value", await service.send("GET", callback, { cookie: forged }), 400);
        log.expectStatus("an empty cookie", await service.send("GET", callback, { cookie: `${name}=` }), 400);
        log.expect((await accountsOf(service, stranger)) === 0, "nothing connected", "an account was connected");
        log.expectStatus("the browser that started it", await service.send("GET", callback, { cookie }), 200);
        log.expectStatus("the same callback again", await service.send("GET", callback, { cookie }), 400);
      },
    },
    {
      name: "a server that a victim names leads the browser to another server's page, with the state of the victim's login",
      async run(service, log) {
        const victim = await service.createUser();
        const attacker = await service.createUser();
        const hostile = await openPlatform(service, victim, "mastodon", { server: "long.mastodon.example" });
        const honest = await openPlatform(service, attacker, "mastodon", { server: "mastodon.example" });
        const page = new URL(honest.page, service.origin);
        page.searchParams.set("state", new URL(hostile.page, service.origin).searchParams.get("state") ?? "");
        const consented = await service.prepare("GET", pathOf(page.href));
        const callback = pathOf(consented.location ?? "");
        const before = await tokenCallsOf(service, "mastodon");
        const answered = await service.send("GET", callback, { cookie: hostile.cookie });
        log.expectStatus("the honest server's answer", answered, 400);
        const sent = (await tokenCallsOf(service, "mastodon")) - before;
        log.expect(sent === 0, "no code sent", "the named server was sent the code of another server");
        log.expect((await accountsOf(service, victim)) === 0, "nothing connected", "the victim's login connected it");
      },
    },
    {
      name: "the callback names another server, none, or an issuer that is not the login's",
      async run(service, log) {
        const user = await service.createUser();
        for (const server of ["", "/", "/long.mastodon.example", "/MASTODON.EXAMPLE", "/mastodon.example.", "/null"]) {
          const { callback, cookie } = await startLogin(service, user, "mastodon", { server: "mastodon.example" });
          const changed = callback.replace(/\/callback[^?]*/, `/callback${server}`);
          log.expectStatus(changed, await service.send("GET", changed, { cookie }), 400, 404);
        }
        for (const [platform, input] of [
          ["mastodon", { server: "mastodon.example" }],
          ["bluesky", { handle: "ada.bsky.social" }],
        ] as const) {
          for (const issuer of ["https://elsewhere.example", "https://mastodon.example.evil.example/", "null", ""]) {
            const { callback, cookie } = await startLogin(service, user, platform, input);
            const changed = new URL(callback, service.origin);
            changed.searchParams.set("iss", issuer);
            const before = await tokenCallsOf(service, platform);
            const answer = await service.send("GET", pathOf(changed.href), { cookie });
            log.expectStatus(`${platform} iss=${issuer}`, answer, 400);
            const sent = (await tokenCallsOf(service, platform)) - before;
            log.expect(sent === 0, "no code sent", `${platform} iss=${issuer}: the code was sent`);
          }
        }
        log.expect((await accountsOf(service, user)) === 0, "nothing connected", "an account was connected");
      },
    },
    {
      name: "opening a link starts nothing, and the page says for whom the account would be connected",
      async run(service, log) {
        const user = await service.createUser();
        const answer = await service.send("GET", await requestLink(service, user));
        log.expectStatus("the page", answer, 200);
        log.expect(answer.cookies.length === 0, "no cookie", `opening the link set ${answer.cookies.join()}`);
        log.expect(answer.text.includes("workspace"), "names the workspace", "the page names no workspace");
        log.expect(!answer.text.includes(user.email), "short address", "the page shows the owner's whole address");
      },
    },
    {
      name: "a link is opened by another signed-in user",
      async run(service, log) {
        const link = await requestLink(service, await service.createUser());
        const cookie = await service.signIn(await service.createUser());
        log.expectStatus("open", await service.send("GET", link, { cookie }), 400);
        const form = { method: "oauth", login: "ada" };
        log.expectStatus("send", await service.send("POST", link, { cookie, form }), 400);
      },
    },
    {
      name: "the form of the link is sent from another site",
      async run(service, log) {
        const link = await requestLink(service, await service.createUser());
        for (const origin of ["https://evil.example", "null", `${service.origin}.evil.example`]) {
          const answer = await service.send("POST", link, { form: { method: "oauth" }, headers: { origin } });
          log.expectStatus(`Origin: ${origin}`, answer, 403);
        }
      },
    },
    {
      name: "the choice of a login's accounts is opened or sent by another browser, user or site",
      async run(service, log) {
        const owner = await service.createUser();
        const { choice, cookie, before } = await startChoice(service, owner);
        const other = await startChoice(service, await service.createUser());
        const [name = ""] = cookie.split("=");
        const session = await service.signIn(await service.createUser());
        const wrong = {
          "no cookie": "",
          "the cookie of before the login": before,
          "another login's cookie": other.cookie,
          "another cookie's value": `${name}=${other.cookie.split("=")[1] ?? ""}`,
          "an empty cookie": `${name}=`,
          "another user": `${cookie}; ${session}`,
        };
        for (const [what, sent] of Object.entries(wrong)) {
          log.expectStatus(`open: ${what}`, await service.send("GET", choice, { cookie: sent }), 400);
          const form = { account: LINKEDIN_PAGE };
          log.expectStatus(`send: ${what}`, await service.send("POST", choice, { cookie: sent, form }), 400);
        }
        for (const origin of ["https://evil.example", "null"]) {
          const sent = { cookie, form: { account: LINKEDIN_PAGE }, headers: { origin } };
          log.expectStatus(`Origin: ${origin}`, await service.send("POST", choice, sent), 403);
        }
        log.expectStatus(
          "another platform",
          await service.send("GET", choice.replace("linkedin", "facebook"), { cookie }),
          400,
        );
        log.expect((await accountsOf(service, owner)) === 0, "nothing connected", "an account was connected");
        const own = await service.send("POST", choice, { cookie, form: { account: LINKEDIN_PAGE } });
        log.expectStatus("the browser of the login", own, 200);
      },
    },
    {
      name: "accounts that nobody chose, and accounts that the login does not offer, are connected",
      async run(service, log) {
        const owner = await service.createUser();
        const { choice, cookie } = await startChoice(service, owner);
        log.expect((await accountsOf(service, owner)) === 0, "none before the choice", "a sync connected an account");
        for (const account of ["urn:li:organization:7700001", "1", "%", "' OR 1=1 --"]) {
          log.expectStatus(account, await service.send("POST", choice, { cookie, form: { account } }), 400);
        }
        log.expect((await accountsOf(service, owner)) === 0, "none that is not offered", "an account was connected");
        await service.send("POST", choice, { cookie, form: { account: LINKEDIN_PAGE } });
        log.expect((await accountsOf(service, owner)) === 1, "the chosen one alone", "a sync connected the other one");
      },
    },
    {
      name: "another user's login is opened and chosen from in the dashboard",
      async run(service, log) {
        const owner = await service.createUser();
        await startChoice(service, owner);
        const page = await service.send("GET", "/dashboard/accounts", { cookie: await service.signIn(owner) });
        const [address = ""] = /\/dashboard\/accounts\/logins\/[\w-]+/.exec(page.text) ?? [];
        log.expect(address !== "", "the owner sees the login", "the owner's page does not show the login");
        const cookie = await service.signIn(await service.createUser());
        log.expectStatus("open", await service.send("GET", address, { cookie }), 404);
        const form = { account: LINKEDIN_PAGE };
        log.expectStatus("send", await service.send("POST", address, { cookie, form }), 404);
        log.expectStatus("without a session", await service.send("POST", address, { form }), 303);
        log.expect((await accountsOf(service, owner)) === 0, "nothing connected", "an account was connected");
      },
    },
    {
      name: "states that were never given out, and a link of another platform",
      async run(service, log) {
        const link = await requestLink(service, await service.createUser());
        const state = new URL(link, service.origin).searchParams.get("state") ?? "";
        for (const wrong of ["", "x", `${state}x`, state.toUpperCase(), state.slice(1), "x".repeat(5000), "%00"]) {
          log.expectStatus(wrong.slice(0, 50), await service.send("GET", `/connect/x?state=${wrong}`), 400);
          const callback = `/connect/x/callback?code=x&state=${wrong}`;
          log.expectStatus(`callback ${wrong.slice(0, 50)}`, await service.send("GET", callback), 400);
        }
        log.expectStatus("another platform", await service.send("GET", `/connect/threads?state=${state}`), 400);
        log.expectStatus("no platform", await service.send("GET", `/connect/myspace?state=${state}`), 404);
      },
    },
  ],
} satisfies Topic;
