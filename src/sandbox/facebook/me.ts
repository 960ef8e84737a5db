import type { JsonObject } from "#core/json.ts";
import type { Sim } from "#sandbox/contract.ts";
import { pageOf, select } from "#sandbox/graph.ts";
import { issueToken, liveToken, revokeLogin, type Token } from "#sandbox/grants.ts";
import { type Business, type Page, PEOPLE, type Person } from "./people.ts";
import { invalid, missing, permission } from "./problems.ts";

/* What a login says about itself and its Pages: platforms/facebook.md part 1, steps 4 and 5. */

const USUAL_PAGE = 25;

/** A Page token from a long-lived user token has no expiry; from a short one it dies with it. */
function pageToken(sim: Sim, session: Token, page: Page): string {
  const isLong = session.extra["long"] === true;
  const key = `page-token:${session.grant}:${page.id}:${isLong ? "long" : "short"}`;
  const kept = sim.store.get<string>(key);
  if (kept !== undefined && liveToken(sim, kept, "access")) {
    return kept;
  }
  const left = isLong || session.expiresAt === null ? null : Math.floor((session.expiresAt - sim.now()) / 1000);
  const { login, scopes, grant } = session;
  const secret = issueToken(sim, "EAAPage", { login, scopes, grant, kind: "access", extra: { page: page.id } }, left);
  sim.store.put(key, secret);
  return secret;
}

const pictureOf = (name: string): JsonObject => ({ data: { url: `https://scontent.example/${name}.jpg` } });

const pageJson = (sim: Sim, session: Token, page: Page): JsonObject => ({
  id: page.id,
  name: page.name,
  username: page.username,
  access_token: pageToken(sim, session, page),
  tasks: page.tasks,
  picture: pictureOf(page.username),
});

function listPages(sim: Sim, session: Token, url: URL, pages: readonly Page[]): Response {
  const fields = url.searchParams.get("fields") ?? "id,name,access_token,tasks";
  return pageOf(
    url,
    pages.map((page) => select(pageJson(sim, session, page), fields)),
    USUAL_PAGE,
  );
}

/** A Page as its own token sees it. */
export function readPage(page: Page, url: URL): Response {
  const all = {
    id: page.id,
    name: page.name,
    username: page.username,
    link: `https://www.facebook.com/${page.username}`,
    picture: pictureOf(page.username),
  };
  return Response.json(select(all, url.searchParams.get("fields") ?? "id,name"));
}

/** Withdraws one permission, or all of them, which takes every Page of this person along. */
function withdraw(sim: Sim, session: Token, name: string | undefined): Response {
  if (name === undefined) {
    revokeLogin(sim, session.login);
    return Response.json({ success: true });
  }
  for (const [key, value] of sim.store.list("token:")) {
    const token = value as unknown as Token;
    if (token.login === session.login) {
      sim.store.put(key, { ...token, scopes: token.scopes.filter((scope) => scope !== name) });
    }
  }
  return Response.json({ success: true });
}

/** GET and DELETE below /me. */
export function me(
  sim: Sim,
  session: Token,
  person: Person,
  method: string,
  url: URL,
  path: readonly string[],
): Response {
  const [edge = "", name] = path;
  switch (`${method} ${edge}`) {
    case "GET ":
      return Response.json(
        select(
          { id: person.id, name: person.name, picture: pictureOf(person.id) },
          url.searchParams.get("fields") ?? "id,name",
        ),
      );
    case "GET permissions":
      return Response.json({ data: session.scopes.map((permission) => ({ permission, status: "granted" })) });
    case "DELETE permissions":
      return withdraw(sim, session, name);
    case "GET accounts":
      return session.scopes.includes("pages_show_list")
        ? listPages(sim, session, url, person.pages)
        : permission(sim, "Requires pages_show_list permission");
    case "GET businesses":
      return session.scopes.includes("business_management")
        ? pageOf(
            url,
            person.businesses.map((business) => ({ id: business.id, name: business.name })),
            USUAL_PAGE,
          )
        : permission(sim, "Requires business_management permission");
    default:
      return invalid(sim, `Unknown path components: /${edge}`);
  }
}

export const businessOf = (login: string, id: string): Business | undefined =>
  PEOPLE[login]?.businesses.find((business) => business.id === id);

/** GET /{business}/owned_pages and /{business}/client_pages */
export function businessPages(sim: Sim, session: Token, url: URL, business: Business, edge: string): Response {
  if (!session.scopes.includes("business_management")) {
    return permission(sim, "Requires business_management permission");
  }
  switch (edge) {
    case "owned_pages":
      return listPages(sim, session, url, business.owned);
    case "client_pages":
      return listPages(sim, session, url, business.clients);
    default:
      return missing(sim, business.id);
  }
}
