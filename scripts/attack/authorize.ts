import { createHash } from "node:crypto";
import type { Topic } from "./attack.ts";
import type { AttackedService } from "./attacked-service.ts";

const REDIRECT_URI = "https://app.example.com/callback";
const CHALLENGE = createHash("sha256").update("v".repeat(43)).digest("base64url");

async function registerClient(service: AttackedService, redirectUri = REDIRECT_URI): Promise<string> {
  const { json } = await service.prepare("POST", "/oauth/register", {
    json: { client_name: "App", redirect_uris: [redirectUri], token_endpoint_auth_method: "none" },
  });
  return json.client_id;
}

function authorizePath(clientId: string, changes: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    response_type: "code",
    scope: "posts:read",
    state: "s",
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
    ...changes,
  });
  return `/oauth/authorize?${String(query)}`;
}

/** Allows a request on the consent page. Returns the code. */
async function approve(service: AttackedService, cookie: string, clientId: string): Promise<string> {
  const path = authorizePath(clientId);
  const { text } = await service.prepare("GET", path, { cookie });
  const csrf_token = /name="csrf_token" value="([^"]+)"/.exec(text)?.[1] ?? "";
  const form = { decision: "allow", scope: "posts:read", csrf_token };
  const { location } = await service.prepare("POST", path, { cookie, form });
  const code = new URL(location ?? "about:blank").searchParams.get("code");
  if (code === null) {
    throw new Error(`no code in ${location}`);
  }
  return service.addSecret(code);
}

/** Requests with an error that a server may send to the redirect URI. */
const ERRORS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "another response type": { response_type: "token" },
  "no PKCE": { code_challenge: "" },
  "plain PKCE": { code_challenge_method: "plain" },
  "unknown scope": { scope: "admin" },
  "another resource": { resource: "https://evil.example" },
  "request object": { request: "e30.e30." },
  "prompt=none": { prompt: "none", response_type: "token" },
};

const WRONG_REDIRECT_URIS = [
  "https://evil.example/",
  "https://app.example.com.evil.example/callback",
  "https://app.example.com/callback/../evil",
  "https://app.example.com/callback?next=https://evil.example",
  "https://app.example.com@evil.example/callback",
  "https://APP.example.com/callback#fragment",
  "//evil.example/callback",
  "javascript:alert(1)",
  "data:text/html,x",
  "http://app.example.com/callback",
  "https://app.example.com:8443/callback",
  "https://app.example.com/callback%2f..%2fevil",
  "https://app.example.com/callback/",
  "https://app.example.com/Callback",
  "https://app.example.com./callback",
  "https://app.example.com/callback%00",
  "https://app.example.com/callback\t",
  "https://\u0430pp.example.com/callback",
  "https://app.example.com\\@evil.example/callback",
];

/**
 * Addresses that must be refused: only the port of a loopback address may differ, and these differ in something else.
 */
const WRONG_LOOPBACK_URIS = [
  "http://127.0.0.1@evil.example/callback",
  "http://127.0.0.1:80@evil.example/callback",
  "http://127.0.0.1.evil.example/callback",
  "http://127.0.0.1:1234567/callback",
  "http://localhost:1234/callback",
  "http://127.0.0.1:1234/other",
  "http://127.0.0.1:1234/callback?next=x",
  "https://127.0.0.1:1234/callback",
];

const VERIFIER = "v".repeat(43);
const GUESSES = 40;

/** The text with another character at a position. */
function changedAt(text: string, index: number): string {
  const place = text.length - 1 - (index % 20);
  return `${text.slice(0, place)}${text[place] === "a" ? "b" : "a"}${text.slice(place + 1)}`;
}

/** Makes a code that the user has just approved, and the form that exchanges it. */
async function approvedExchange(service: AttackedService): Promise<Readonly<Record<string, string>>> {
  const clientId = await registerClient(service);
  const cookie = await service.signIn(await service.createUser());
  return {
    grant_type: "authorization_code",
    client_id: clientId,
    code: await approve(service, cookie, clientId),
    code_verifier: VERIFIER,
    redirect_uri: REDIRECT_URI,
  };
}

const leavesUs = (service: AttackedService, location: string | null): boolean =>
  location !== null && new URL(location, service.origin).origin !== service.origin;

export default {
  topic: "authorize",
  attacks: [
    {
      name: "redirects to addresses that are not registered",
      async run(service, log) {
        const clientId = await registerClient(service);
        const cookie = await service.signIn(await service.createUser());
        const loopbackId = await registerClient(service, "http://127.0.0.1/callback");
        const paths = [
          ...WRONG_REDIRECT_URIS.map((uri) => authorizePath(clientId, { redirect_uri: uri })),
          ...WRONG_LOOPBACK_URIS.map((uri) => authorizePath(loopbackId, { redirect_uri: uri })),
          // The parameter is sent twice, first with the registered value.
          `${authorizePath(clientId)}&redirect_uri=${encodeURIComponent("https://evil.example/")}`,
        ];
        for (const path of paths) {
          for (const session of [undefined, cookie]) {
            const answer = await service.send("GET", path, { cookie: session });
            log.expectStatus(path, answer, 400);
            log.expect(!leavesUs(service, answer.location), "no redirect", `redirected to ${answer.location}`);
          }
        }
      },
    },
    {
      name: "redirects to the address of a client that the user has not approved, without a click",
      async run(service, log) {
        const clientId = await registerClient(service, REDIRECT_URI);
        const cookie = await service.signIn(await service.createUser());
        for (const [what, changes] of Object.entries(ERRORS)) {
          for (const session of [undefined, cookie]) {
            const answer = await service.send("GET", authorizePath(clientId, changes), { cookie: session });
            const state = session === undefined ? "without a session" : "signed in";
            log.expect(
              !leavesUs(service, answer.location),
              "no redirect",
              `${what}, ${state}: redirected to ${answer.location}`,
            );
          }
        }
        const valid = await service.send("GET", authorizePath(clientId), { cookie });
        log.expectStatus("a valid request shows the consent page", valid, 200);
      },
    },
    {
      name: "consent without the page: no token, another session's token, another request's token, from another site",
      async run(service, log) {
        const clientId = await registerClient(service);
        const path = authorizePath(clientId);
        const tokenOf = ({ text }: { text: string }) => /name="csrf_token" value="([^"]+)"/.exec(text)?.[1] ?? "";
        const cookie = await service.signIn(await service.createUser());
        const otherCookie = await service.signIn(await service.createUser());
        const token = tokenOf(await service.prepare("GET", path, { cookie }));
        const otherToken = tokenOf(await service.prepare("GET", path, { cookie: otherCookie }));
        const narrow = authorizePath(clientId, { scope: "accounts:read" });
        const narrowToken = tokenOf(await service.prepare("GET", narrow, { cookie }));
        const form = { decision: "allow", scope: "posts:read" };
        const tries: readonly [string, Readonly<Record<string, string>>][] = [
          ["no token", form],
          ["another session's token", { ...form, csrf_token: otherToken }],
          ["another request's token", { ...form, csrf_token: narrowToken }],
        ];
        for (const [what, fields] of tries) {
          log.expectStatus(what, await service.send("POST", path, { cookie, form: fields }), 400);
        }
        const headers = { origin: "https://evil.example" };
        const withToken = { ...form, csrf_token: token };
        log.expectStatus(
          "from another site",
          await service.send("POST", path, { cookie, form: withToken, headers }),
          403,
        );
        const wide = { ...withToken, scope: "workspaces:write" };
        const answer = await service.send("POST", path, { cookie, form: wide });
        log.expectStatus("a scope that was not requested", answer, 400);
      },
    },
    {
      name: "guesses of a code and of its verifier, the challenge in its place, another client, other addresses",
      async run(service, log) {
        const form = await approvedExchange(service);
        const { code = "" } = form;
        const exchange = (changes: Readonly<Record<string, string>>) =>
          service.send("POST", "/oauth/token", { form: { ...form, ...changes } });
        const guesses = Array.from({ length: GUESSES }, (_, index) => index);
        const tries: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
          ...guesses.map((index) => ["a code", { code: changedAt(code, index) }] as const),
          ...guesses.map((index) => ["a verifier", { code_verifier: changedAt(VERIFIER, index) }] as const),
          ...["", "v", CHALLENGE, "v".repeat(42), "v".repeat(44), "v".repeat(129), `${VERIFIER}\u0000`, "*"].map(
            (code_verifier) => ["a verifier", { code_verifier }] as const,
          ),
          ["another client", { client_id: await registerClient(service) }],
          ["no client", { client_id: "" }],
          ...[...WRONG_REDIRECT_URIS, ...WRONG_LOOPBACK_URIS].map(
            (redirect_uri) => ["an address", { redirect_uri }] as const,
          ),
          ["another resource", { resource: "https://evil.example/" }],
        ];
        for (const [what, changes] of tries) {
          log.expectStatus(`${what}: ${JSON.stringify(changes)}`, await exchange(changes), 400, 401);
        }
        const twice = new URLSearchParams([...Object.entries(form), ["code_verifier", changedAt(VERIFIER, 0)]]);
        log.expectStatus("two verifiers", await service.send("POST", "/oauth/token", { form: twice }), 400);
        log.expectStatus("none of them has used the code up", await exchange({}), 200);
      },
    },
    {
      name: "a code that is used by eight at once, and again; what happens to its tokens",
      async run(service, log) {
        const form = await approvedExchange(service);
        const answers = await Promise.all(
          Array.from({ length: 8 }, () => service.send("POST", "/oauth/token", { form })),
        );
        const issued = answers.filter(({ status }) => status === 200);
        log.expect(issued.length === 1, "one of eight", `${issued.length} of eight parallel exchanges were answered`);
        const { access_token: key, refresh_token } = issued[0]?.json ?? {};
        service.addSecret(key);
        service.addSecret(refresh_token);
        log.expectStatus("the code again", await service.send("POST", "/oauth/token", { form }), 400);
        // Using a code again with the right verifier means that it was stolen, so its tokens must end.
        const read = await service.send("GET", "/v1/posts", { key });
        log.expectStatus("the tokens of a code that was used again", read, 401);
        const refresh = { grant_type: "refresh_token", client_id: form["client_id"] ?? "", refresh_token };
        log.expectStatus("their refresh", await service.send("POST", "/oauth/token", { form: refresh }), 400);
      },
    },
    {
      name: "a refresh token with another client, and to get more than was granted",
      async run(service, log) {
        const form = await approvedExchange(service);
        const { json } = await service.prepare("POST", "/oauth/token", { form });
        service.addSecret(json.access_token);
        const refresh = {
          grant_type: "refresh_token",
          client_id: form["client_id"] ?? "",
          refresh_token: service.addSecret(json.refresh_token),
        };
        const tries: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
          ["another client", { client_id: await registerClient(service) }],
          ["more scopes", { scope: "posts:read posts:write" }],
          ["another resource", { resource: "https://evil.example/" }],
          ["the access token in its place", { refresh_token: json.access_token }],
          ["a changed one", { refresh_token: changedAt(json.refresh_token, 0) }],
        ];
        for (const [what, changes] of tries) {
          const answer = await service.send("POST", "/oauth/token", { form: { ...refresh, ...changes } });
          log.expectStatus(what, answer, 400, 401);
        }
        const schedule = await service.send("POST", "/v1/posts/preview", { key: json.access_token, json: {} });
        log.expectStatus("writing with a token for reading", schedule, 403);
      },
    },
    {
      name: "a flood of registrations, and registrations that are large or dangerous",
      async run(service, log) {
        const json = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: "none" };
        let limited = 0;
        // Send more than twice the limit of a minute, because the next minute may begin meanwhile.
        for (let count = 0; count < 140; count += 1) {
          const { status } = await service.send("POST", "/oauth/register", { json, address: "198.51.100.7" });
          limited += status === 429 ? 1 : 0;
        }
        log.expect(limited >= 10, `429 × ${limited}`, `140 registrations from one address, ${limited} refused`);
        const large = { ...json, redirect_uris: [`https://app.example.com/${"x".repeat(3000)}`] };
        log.expectStatus("3 KB of addresses", await service.send("POST", "/oauth/register", { json: large }), 400);
        const huge = { ...json, client_name: "x".repeat(100_000) };
        log.expectStatus("100 KB", await service.send("POST", "/oauth/register", { json: huge }), 413, 400);
        for (const uri of [
          "javascript:alert(1)",
          "http://app.example.com/",
          "data:x",
          "https://a.example/#f",
          "*",
          "",
        ]) {
          const answer = await service.send("POST", "/oauth/register", { json: { ...json, redirect_uris: [uri] } });
          log.expectStatus(uri, answer, 400);
        }
      },
    },
  ],
} satisfies Topic;
