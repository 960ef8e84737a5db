import type { SimulatorContext } from "./contract.ts";
import { permissionDenied } from "./facebook/error-responses.ts";
import { mayCreateContent, type Page, pagesOf, TEST_USERS } from "./facebook/test-users.ts";
import { graphError, type Params, withUsageHeaders } from "./graph-api.ts";
import { handleAccountEdge } from "./instagram/account-edges.ts";
import { commentsEdge } from "./instagram/comments.ts";
import { awaitDownload, containerJson, findContainer } from "./instagram/containers.ts";
import { objectNotFound, selectedFields } from "./instagram/error-responses.ts";
import { findMedia, readMedia } from "./instagram/posts.ts";
import type { TestUser } from "./instagram/test-users.ts";
import type { Token } from "./oauth-server.ts";

/* The Instagram API with Facebook Login: accounts that belong to Pages, at graph.facebook.com. Scopes, roles and
   tokens as in
   https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-user/media_publish
   and reference/ig-container. */

const READ_SCOPES = ["instagram_basic", "pages_read_engagement"];
const PUBLISH_SCOPE = "instagram_content_publish";
const COMMENT_SCOPE = "instagram_manage_comments";
/**
 * Scopes of which one is needed if the Business Manager gave the role on the Page:
 * https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-user (22 April
 * 2026).
 */
const BUSINESS_ROLE_SCOPES = ["ads_management", "ads_read"];

interface AccountCall {
  readonly request: Request;
  readonly url: URL;
  readonly sim: SimulatorContext;
  readonly token: Token;
  readonly params: Params;
}

interface AccountOfPage {
  readonly page: Page;
  readonly user: TestUser;
}

/**
 * The accounts to which a token gives access: those of every Page of the user, or with a Page token only those of that
 * Page.
 */
function accountsOf(token: Token): readonly AccountOfPage[] {
  const { page: pageId } = token.extra;
  return pagesOf(token.login).flatMap((page) =>
    page.professionalAccount && (pageId === undefined || pageId === page.id)
      ? [
          {
            page,
            user: {
              ...page.professionalAccount,
              appScopedId: page.professionalAccount.userId,
              accountType: "BUSINESS" as const,
            },
          },
        ]
      : [],
  );
}

/** Answers a call to an Instagram account, container or post. Undefined for any other id. */
export async function handleAccountCall(call: AccountCall, id: string, edge: string): Promise<Response | undefined> {
  const { sim, token, request } = call;
  const ownerId = findContainer(sim, id)?.owner ?? findMedia(sim, id)?.owner ?? id;
  const account = accountsOf(token).find(({ user }) => user.userId === ownerId);
  if (!account) {
    return undefined;
  }
  const isPublishing = request.method === "POST" || edge === "content_publishing_limit";
  const missing = [...READ_SCOPES, ...(isPublishing ? [PUBLISH_SCOPE] : [])].find(
    (scope) => !token.scopes.includes(scope),
  );
  if (missing !== undefined) {
    return permissionDenied(sim, `Requires ${missing} permission`);
  }
  const isRoleOfBusiness = !TEST_USERS[token.login]?.pages.includes(account.page);
  if (isRoleOfBusiness && !BUSINESS_ROLE_SCOPES.some((scope) => token.scopes.includes(scope))) {
    return graphError(sim, { code: 10, message: "(#10) Application does not have permission for this action" });
  }
  if (request.method === "POST" && !mayCreateContent(account.page)) {
    return permissionDenied(sim, "The user must be able to perform MANAGE or CREATE_CONTENT tasks on the linked Page");
  }
  const response = await (id === account.user.userId
    ? handleEdge(call, account.user, edge)
    : handleNode(call, account.user, id, edge));
  return withUsageHeaders(response, account.user.userId, "instagram");
}

function handleEdge(call: AccountCall, user: TestUser, edge: string) {
  const methodAndEdge = `${call.request.method} ${edge}`;
  return methodAndEdge === "GET "
    ? selectedFields(call.sim, "IGUser", profileOf(user), call.params)
    : (handleAccountEdge(methodAndEdge, call, user) ?? objectNotFound(call.sim, user.userId));
}

const profileOf = (user: TestUser) => ({
  id: user.userId,
  username: user.username,
  name: user.name,
  profile_picture_url: `https://scontent.cdninstagram.com/${user.userId}.jpg`,
  followers_count: user.followers,
});

/**
 * Answers a read of a container or post with the user's token. For a Page's token, the real platform has answered "not
 * found".
 */
async function handleNode(call: AccountCall, user: TestUser, id: string, edge: string) {
  const { request, sim, token, params } = call;
  if (edge === "comments" && token.extra["page"] === undefined) {
    return token.scopes.includes(COMMENT_SCOPE)
      ? commentsEdge(call, user, id)
      : permissionDenied(sim, `Requires ${COMMENT_SCOPE} permission`);
  }
  if (request.method !== "GET" || edge !== "" || token.extra["page"] !== undefined) {
    return objectNotFound(sim, id);
  }
  const container = findContainer(sim, id);
  return container
    ? selectedFields(sim, "IGContainer", containerJson(sim, await awaitDownload(sim, container)), params)
    : readMedia(sim, user, id, params);
}
