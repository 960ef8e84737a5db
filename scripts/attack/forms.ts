import type { Topic } from "./attack.ts";
import type { AttackedService } from "./attacked-service.ts";

const PAGES = [
  "/login",
  "/signup",
  "/password/forgot",
  "/dashboard",
  "/dashboard/keys",
  "/dashboard/apps",
  "/dashboard/how-to-connect",
  "/dashboard/profile",
  "/dashboard/plan",
  "/dashboard/workspaces",
  "/dashboard/slots",
  "/webhooks",
  "/notices",
];

/** Routes that only a script of our own pages calls. */
const SCRIPT_ROUTES = [
  "/login/passkey/options",
  "/login/passkey",
  "/dashboard/passkeys/options",
  "/dashboard/passkeys",
];

/** The headers of a form that another site sends, by kind of browser. */
const FOREIGN_HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "no Origin": {},
  "another Origin": { origin: "https://evil.example" },
  "Origin: null": { origin: "null" },
  "a Host that equals the Origin": { origin: "http://evil.example", host: "evil.example" },
  "X-Forwarded-Host": {
    origin: "https://evil.example",
    "x-forwarded-host": "evil.example",
    "x-forwarded-proto": "https",
  },
};

/** The addresses of all forms on the pages that a signed-in user sees. */
async function findForms(service: AttackedService, cookie: string): Promise<readonly string[]> {
  const actions = new Set(SCRIPT_ROUTES);
  for (const page of PAGES) {
    for (const session of [undefined, cookie]) {
      const { text } = await service.send("GET", page, { cookie: session });
      for (const [form] of text.matchAll(/<form\b[^>]*method="post"[^>]*>/g)) {
        actions.add(/action="([^"]*)"/.exec(form)?.[1]?.replaceAll("&amp;", "&") || page);
      }
    }
  }
  return [...actions];
}

export default {
  topic: "forms",
  attacks: [
    {
      name: "every form of every page, sent from another site",
      async run(service, log) {
        const cookie = await service.signIn(await service.createUser());
        const actions = await findForms(service, cookie);
        log.expect(
          actions.length >= 12,
          "forms found",
          `only ${actions.length} forms were found: ${actions.join(", ")}`,
        );
        const body = "name=x&email=a%40example.com&password=correct-horse-battery";
        for (const action of actions) {
          for (const [what, headers] of Object.entries(FOREIGN_HEADERS)) {
            const answer = await service.send("POST", action, {
              cookie,
              body,
              headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
            });
            log.expectStatus(`${action}, ${what}`, answer, 403);
          }
          const sameOriginClaim = { origin: service.origin, "sec-fetch-site": "cross-site" };
          const answer = await service.send("POST", action, { cookie, body, headers: sameOriginClaim });
          log.expectStatus(`${action}, Sec-Fetch-Site: cross-site`, answer, 403);
        }
      },
    },
    {
      name: "a session that a stranger chose or knows, before and after signing in",
      async run(service, log) {
        const user = await service.createUser();
        const strangersCookie = await service.signIn(await service.createUser());
        const form = { email: user.email, password: user.password };
        for (const given of [`__Host-session=${"x".repeat(49)}`, strangersCookie]) {
          const answer = await service.prepare("POST", "/login", { cookie: given, form });
          const cookie = answer.cookies.find((candidate) => candidate.startsWith("__Host-session=")) ?? "";
          service.addSecret(cookie.slice(cookie.indexOf("=") + 1));
          log.expect(cookie !== "" && cookie !== given, "a new session", "signing in kept the session that was there");
          const page = await service.send("GET", "/dashboard", { cookie: given });
          log.expectStatus("the session that was there", page, 303);
          const attributes = String(answer.headers["set-cookie"]);
          for (const attribute of ["HttpOnly", "Secure", "SameSite=Lax", "Path=/"]) {
            log.expect(attributes.includes(attribute), attribute, `the cookie lacks ${attribute}: ${attributes}`);
          }
          await service.send("POST", "/logout", { cookie, form: {} });
          log.expectStatus("after signing out", await service.send("GET", "/dashboard", { cookie }), 303);
        }
      },
    },
    {
      name: "signing in leads to another site",
      async run(service, log) {
        const { email, password } = await service.createUser();
        for (const next of [
          "https://evil.example",
          "//evil.example",
          "/\\evil.example",
          "\\\\evil.example",
          "/\t/evil.example",
        ]) {
          const answer = await service.prepare("POST", "/login", { form: { email, password, next } });
          const { origin } = new URL(answer.location ?? "", service.origin);
          log.expect(origin === service.origin, "our own page", `next=${next} leads to ${answer.location}`);
        }
      },
    },
    {
      name: "scripts in names and errors",
      async run(service, log) {
        const { key, ...user } = await service.createUser();
        const cookie = await service.signIn({ key, ...user });
        const script = `"><script>alert(1)</script><img src=x onerror=alert(1)>`;
        await service.send("POST", "/dashboard/workspaces", { cookie, form: { name: script } });
        await service.send("POST", "/dashboard/keys", { cookie, form: { name: script, scope: "posts:read" } });
        for (const path of [...PAGES, `/login?next=/${encodeURIComponent(script)}`, `/${encodeURIComponent(script)}`]) {
          const { text } = await service.send("GET", path, { cookie });
          log.expect(
            !text.includes("<script>alert") && !text.includes("<img src=x"),
            "escaped",
            `${path} runs a script`,
          );
        }
        const { text } = await service.send("POST", "/login", { form: { email: script, password: script } });
        log.expect(!text.includes("<script>alert"), "escaped", "the sign-in page repeats a script");
      },
    },
    {
      name: "pages without a content security policy, in a frame, or in a shared cache",
      async run(service, log) {
        const cookie = await service.signIn(await service.createUser());
        for (const path of [...PAGES, "/does-not-exist", "/oauth/authorize"]) {
          const { headers } = await service.send("GET", path, { cookie });
          const policy = String(headers["content-security-policy"]);
          log.expect(
            policy.includes("frame-ancestors 'none'") && !/unsafe-(?:inline|eval)/.test(policy),
            "a strict policy",
            `${path}: ${policy}`,
          );
          const cache = String(headers["cache-control"]);
          log.expect(cache.includes("no-store"), "not cached", `${path}: Cache-Control ${cache}`);
        }
      },
    },
  ],
} satisfies Topic;
