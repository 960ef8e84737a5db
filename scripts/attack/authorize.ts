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

/** Requests with an error, which the specification lets a server send to the redirect URI. */
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
];

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
        for (const redirectUri of WRONG_REDIRECT_URIS) {
          const path = authorizePath(clientId, { redirect_uri: redirectUri });
          for (const session of [undefined, cookie]) {
            const answer = await service.send("GET", path, { cookie: session });
            log.expectStatus(redirectUri, answer, 400);
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
      name: "a flood of registrations, and registrations that are large or dangerous",
      async run(service, log) {
        const json = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: "none" };
        let limited = 0;
        for (let count = 0; count < 80; count += 1) {
          const { status } = await service.send("POST", "/oauth/register", { json, address: "198.51.100.7" });
          limited += status === 429 ? 1 : 0;
        }
        log.expect(limited >= 10, `429 × ${limited}`, `80 registrations from one address, ${limited} refused`);
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
