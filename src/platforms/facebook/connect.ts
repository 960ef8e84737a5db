import type { AppCredentials, PostableAccount, UnpostableAccount, ConnectCalls } from "#platforms/contract.ts";
import { withExtraScopes } from "#platforms/extra-scopes.ts";
import { succeeded } from "#platforms/fault.ts";
import {
  dialogScopes,
  dialogUrl,
  exchangeDialogCode,
  hasPostingTask,
  listPages,
  refreshDialogLogin,
  revokeDialogLogin,
} from "#platforms/graph-login.ts";
import { findMissingScopes } from "#platforms/oauth-token.ts";
import { redirectLogin } from "#platforms/redirect-login.ts";
import { Page } from "./answers.ts";
import { graphUrl, loginDialog } from "./hosts.ts";

const SCOPES = ["pages_show_list", "pages_read_engagement", "pages_manage_posts"] as const;
const PAGE_FIELDS = "id,name,username,access_token,picture.type(large)";

const dialogOf = (app: AppCredentials) => loginDialog(app, withExtraScopes(dialogScopes(app, SCOPES), app));

export const connect = {
  ...redirectLogin({
    authorizeUrl: (app, request) => dialogUrl(dialogOf(app), app, request),

    exchangeCode: async (client, app, exchange) => await exchangeDialogCode(client, dialogOf(app), app, exchange, {}),
  }),

  listAccounts: async (client, app, tokens) => {
    const pages = await listPages(client, app, graphUrl(app), tokens, PAGE_FIELDS, Page);
    if (!pages.ok) {
      return pages;
    }
    const missingScopes = findMissingScopes(SCOPES, tokens.scopes);
    const accounts: PostableAccount[] = [];
    const unpostable: UnpostableAccount[] = [];
    for (const page of pages.value) {
      const displayName = page.name ?? page.username ?? page.id;
      if (!page.access_token) {
        const reason =
          "Your role on this Page does not allow apps to post: ask its administrator for a role that does.";
        unpostable.push({ platformAccountId: page.id, displayName, reason });
        continue;
      }
      accounts.push({
        platformAccountId: page.id,
        username: page.username ?? displayName,
        displayName,
        avatarUrl: page.picture?.data?.url ?? null,
        profileUrl: `https://www.facebook.com/${page.username ?? page.id}`,
        missingScopes,
        // Meta's documents differ on the names of tasks. So the list of tasks alone never refuses a Page that has a
        // token.
        capabilities: hasPostingTask(page.tasks) === false ? { maySeeOnly: true } : {},
        // A Page token that was made from a long-lived token does not expire by itself.
        token: page.access_token,
      });
    }
    return succeeded({ accounts, unpostable });
  },

  refresh: async (client, app, tokens, now) => await refreshDialogLogin(client, dialogOf(app), app, tokens, now),

  revoke: async (client, app, tokens) => await revokeDialogLogin(client, dialogOf(app), app, tokens),
} satisfies ConnectCalls;
