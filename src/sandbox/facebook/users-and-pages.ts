import type { JsonObject } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { paginate, selectFields, unknownField } from "#sandbox/graph-api.ts";
import { issueToken, findValidToken, revokeTokensOfLogin, type Token, TOKENS } from "#sandbox/oauth-server.ts";
import { declinedPermissions } from "./login.ts";
import { type Business, type Page, TEST_USERS, type TestUser } from "./test-users.ts";
import { invalidParameter, objectNotFound, permissionDenied } from "./error-responses.ts";
import { nodeResponse } from "./node-fields.ts";

/* The user, the user's permissions and Pages (platforms/facebook.md part 1, steps 4 and 5). */

const DEFAULT_PAGE_SIZE = 25;

/** Issues a Page token. From a long-lived user token it has no expiry; from a short-lived one it expires with that. */
function issuePageToken(sim: SimulatorContext, token: Token, page: Page): string {
  const isLongLived = token.extra["long"] === true;
  const key = `page-token:${token.grant}:${page.id}:${isLongLived ? "long" : "short"}`;
  const existing = sim.store.get<string>(key);
  if (existing !== undefined && findValidToken(sim, existing, "access")) {
    return existing;
  }
  const remainingSeconds =
    isLongLived || token.expiresAt === null ? null : Math.floor((token.expiresAt - sim.now()) / 1000);
  const { login, scopes, grant } = token;
  const secret = issueToken(
    sim,
    "EAAPage",
    { login, scopes, grant, kind: "access", extra: { page: page.id } },
    remainingSeconds,
  );
  sim.store.put(key, secret);
  return secret;
}

const pictureOf = (name: string): JsonObject => ({ data: { url: `https://scontent.example/${name}.jpg` } });

/** Every field that a list of Pages can return. */
const pageFields = (sim: SimulatorContext, token: Token, page: Page): JsonObject => ({
  id: page.id,
  name: page.name,
  username: page.username,
  link: `https://www.facebook.com/${page.username}`,
  picture: pictureOf(page.username),
  access_token: page.withoutToken ? null : issuePageToken(sim, token, page),
  instagram_business_account:
    page.professionalAccount && token.scopes.includes("instagram_basic")
      ? {
          id: page.professionalAccount.userId,
          username: page.professionalAccount.username,
          name: page.professionalAccount.name,
          followers_count: page.professionalAccount.followers,
          profile_picture_url: `https://scontent.example/${page.professionalAccount.userId}.jpg`,
        }
      : null,
});

/** Lists Pages. `listFields` are the fields that only this list adds to a Page. */
function listPages(
  sim: SimulatorContext,
  token: Token,
  url: URL,
  pages: readonly Page[],
  listFields: (page: Page) => JsonObject,
): Response {
  const fields = url.searchParams.get("fields") ?? "id,name,access_token";
  const entries = pages.map((page) => ({ ...pageFields(sim, token, page), ...listFields(page) }));
  const unknown = entries.map((entry) => unknownField(entry, fields)).find((name) => name !== undefined);
  if (unknown !== undefined) {
    return invalidParameter(sim, `Tried accessing nonexisting field (${unknown}) on node type (Page)`);
  }
  return paginate(
    url,
    entries.map((entry) => {
      // Leave out what the user's role or permissions do not include.
      return Object.fromEntries(Object.entries(selectFields(entry, fields)).filter(([, value]) => value !== null));
    }),
    DEFAULT_PAGE_SIZE,
  );
}

/** A Page as its own token reads it. */
export function readPage(sim: SimulatorContext, page: Page, url: URL): Response {
  const allFields = {
    id: page.id,
    name: page.name,
    username: page.username,
    link: `https://www.facebook.com/${page.username}`,
    picture: pictureOf(page.username),
  };
  return nodeResponse(sim, "Page", allFields, url.searchParams.get("fields") ?? "id,name");
}

/** Revokes one permission, or all. Revoking all also revokes the tokens of the user's Pages. */
function revokePermissions(sim: SimulatorContext, token: Token, name: string | undefined): Response {
  if (name === undefined) {
    revokeTokensOfLogin(sim, token.login);
    return Response.json({ success: true });
  }
  TOKENS.update(sim, (stored) =>
    stored.login === token.login ? { ...stored, scopes: stored.scopes.filter((scope) => scope !== name) } : undefined,
  );
  return Response.json({ success: true });
}

/** Handles GET and DELETE below `/me`. */
export function userEndpoint(
  sim: SimulatorContext,
  token: Token,
  user: TestUser,
  method: string,
  url: URL,
  path: readonly string[],
): Response {
  const [edge = "", name] = path;
  switch (`${method} ${edge}`) {
    case "GET ":
      return nodeResponse(
        sim,
        "User",
        { id: user.id, name: user.name, picture: pictureOf(user.id) },
        url.searchParams.get("fields") ?? "id,name",
      );
    case "GET permissions":
      return Response.json({
        data: [
          ...token.scopes.map((permission) => ({ permission, status: "granted" })),
          ...declinedPermissions(sim, token.login).map((permission) => ({ permission, status: "declined" })),
        ],
      });
    case "DELETE permissions":
      return revokePermissions(sim, token, name);
    case "GET accounts":
      return token.scopes.includes("pages_show_list")
        ? listPages(sim, token, url, user.pages, ({ tasks }) => ({ tasks }))
        : permissionDenied(sim, "Requires pages_show_list permission");
    case "GET businesses":
      return token.scopes.includes("business_management")
        ? paginate(
            url,
            user.businesses.map((business) => ({ id: business.id, name: business.name })),
            DEFAULT_PAGE_SIZE,
          )
        : permissionDenied(sim, "Requires business_management permission");
    default:
      return invalidParameter(sim, `Unknown path components: /${edge}`);
  }
}

export const findBusiness = (login: string, id: string): Business | undefined =>
  TEST_USERS[login]?.businesses.find((business) => business.id === id);

/** Handles `GET /{business}/owned_pages` and `/{business}/client_pages`. */
export function listBusinessPages(
  sim: SimulatorContext,
  token: Token,
  url: URL,
  business: Business,
  edge: string,
): Response {
  if (!token.scopes.includes("business_management")) {
    return permissionDenied(sim, "Requires business_management permission");
  }
  switch (edge) {
    case "owned_pages":
      return listPages(sim, token, url, business.owned, () => ({}));
    case "client_pages":
      // The tasks that the business can assign, not those of the user.
      return listPages(sim, token, url, business.clients, () => ({ permitted_tasks: ["CREATE_CONTENT", "ANALYZE"] }));
    default:
      return objectNotFound(sim, business.id);
  }
}
