import { Hono } from "hono";
import { accountPages } from "./accounts/routes.tsx";
import { showArchive } from "./archive/routes.tsx";
import { doApprove, doDecline, doReopen, showApproval, showApprovals } from "./approvals/routes.tsx";
import { doRevokeApp, doSetAppConfirms, showApps } from "./settings/apps.tsx";
import { doCheckPost } from "./composer/check-post.tsx";
import { limitEventBody, limitFormBody } from "./request/body-limits.ts";
import { showCalendar } from "./calendar/routes.tsx";
import { doMove, showMove } from "./calendar/move-page.tsx";
import { requireSession, requireSignIn } from "./request/require-session.ts";
import { requireSubscriptionToSend } from "./layout/require-subscription.tsx";
import type { PageEnv, OutboundFactory } from "./request/env.ts";
import { bulkPages } from "./bulk/routes.tsx";
import { draftPages } from "./drafts/routes.tsx";
import { renderError, renderNotFound } from "./layout/error-pages.tsx";
import { doMakeFeed, doRevokeFeed } from "./settings/feed-routes.tsx";
import { showFront } from "./front/routes.tsx";
import { securityHeaders } from "./request/security-headers.ts";
import { showHowToConnect } from "./settings/how-to-connect.tsx";
import { doCreateKey, doRevokeKey, doRotateKey, doSetKeyConfirms, showKeys } from "./settings/keys.tsx";
import { doSetAlerts } from "./settings/alert-settings.tsx";
import { doDismissNotice, showNotices } from "./notices/routes.tsx";
import { showOperate } from "./operate/routes.tsx";
import { showOverview } from "./overview/routes.tsx";
import { doForgot, doReset, doVerify, showForgot, showReset, showVerify } from "./sign-in/password-reset.tsx";
import {
  addPasskey,
  confirmWithPasskey,
  passkeyConfirmOptions,
  passkeyOptions,
  passkeySignIn,
  passkeySignInOptions,
} from "./sign-in/passkeys.ts";
import { mediaPages, mediaUploadForm } from "./media/routes.tsx";
import { composer, composerFilesForm } from "./composer/routes.tsx";
import { doCheckout, doPortal, showPlan, receivePaymentEvent } from "./settings/plan-page.tsx";
import {
  doChangePassword,
  doRemovePasskey,
  doSendVerification,
  doSetTimeZone,
  showProfile,
} from "./settings/profile.tsx";
import { personalDataPages } from "./personal-data/routes.tsx";
import { createPostPages } from "./post/routes.tsx";
import { showDataDeletion, showDeletionStatus, showPrivacy, showTerms } from "./public-pages/routes.tsx";
import { requireSameOrigin } from "./request/require-same-origin.ts";
import { withServices } from "./request/with-services.ts";
import { doSignIn, doSignOut, showSignIn } from "./sign-in/sign-in.tsx";
import { doSignUp, showSignUp } from "./sign-in/sign-up.tsx";
import { selectionPages } from "./selection/routes.tsx";
import { slotPages } from "./slots/routes.tsx";
import { webhookPages } from "./webhooks/routes.tsx";
import {
  doActivateWorkspace,
  doCreateWorkspace,
  doRenameWorkspace,
  doSetApprovalReauthentication,
  showWorkspaces,
} from "./settings/workspaces.tsx";

/** Serves all pages and their forms, and the webhook of the payment provider. */
export function createPages(createOutbound: OutboundFactory): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.use(withServices(createOutbound));
  app.onError(renderError);
  app.notFound(renderNotFound);

  // The payment provider's signature authenticates the request, so no rule for forms applies.
  app.post("/billing/events", limitEventBody, receivePaymentEvent);

  app.use(securityHeaders, requireSameOrigin);
  app.use("/dashboard/media/uploads/form", requireSession).route("/dashboard/media/uploads/form", mediaUploadForm);
  app.use("/dashboard/posts/files", requireSession).route("/dashboard/posts/files", composerFilesForm);
  app.use(limitFormBody);
  app.get("/", showFront);
  app.get("/privacy", showPrivacy);
  app.get("/terms", showTerms);
  app.get("/data-deletion", showDataDeletion);
  app.get("/data-deletion/:code", showDeletionStatus);
  app.get("/signup", showSignUp).post(doSignUp);
  app.get("/login", showSignIn).post(doSignIn);
  app.post("/login/passkey/options", passkeySignInOptions);
  app.post("/login/passkey", passkeySignIn);
  app.post("/logout", doSignOut);
  app.get("/password/forgot", showForgot).post(doForgot);
  app.get("/password/reset", showReset).post(doReset);
  app.get("/verify-email", showVerify).post(doVerify);

  app.use("/approvals/*", requireSignIn);
  app.get("/approvals", showApprovals);
  app.get("/approvals/:id", showApproval);
  app.post("/approvals/:id/approve", doApprove);
  app.post("/approvals/:id/decline", doDecline);
  app.post("/approvals/:id/draft", doReopen);

  app.use("/notices/*", requireSignIn);
  app.get("/notices", showNotices);
  app.post("/notices/dismiss", doDismissNotice);

  app.use("/webhooks/*", requireSignIn);
  app.route("/webhooks", webhookPages);

  app.use("/dashboard/*", requireSession);
  for (const path of ["edit/confirm", ":id/move", ":id/retry"]) {
    app.use(`/dashboard/posts/${path}`, requireSubscriptionToSend);
  }
  app.get("/dashboard", showCalendar);
  app.get("/dashboard/posts/:id/move", showMove).post("/dashboard/posts/:id/move", doMove);
  app.route("/dashboard/selection", selectionPages);
  app.route("/dashboard/drafts", draftPages);
  app.route("/dashboard/slots", slotPages);
  app.get("/dashboard/archive", showArchive);
  app.get("/dashboard/overview", showOverview);
  app.get("/dashboard/operate", showOperate);
  app.route("/dashboard/accounts", accountPages);
  app.get("/dashboard/keys", showKeys).post(doCreateKey);
  app.post("/dashboard/keys/:id/rotate", doRotateKey);
  app.post("/dashboard/keys/:id/confirms", doSetKeyConfirms);
  app.post("/dashboard/keys/:id/revoke", doRevokeKey);
  app.delete("/dashboard/keys/:id", doRevokeKey);
  app.get("/dashboard/apps", showApps);
  app.post("/dashboard/apps/:id/confirms", doSetAppConfirms);
  app.post("/dashboard/apps/:id/revoke", doRevokeApp);
  app.delete("/dashboard/apps/:id", doRevokeApp);
  app.post("/dashboard/posts/check", doCheckPost);
  app.route("/dashboard/posts/many", bulkPages);
  // The composer comes before the pages of single posts, whose paths have an id where the composer has a word.
  app.route("/", composer);
  app.route("/dashboard/posts", createPostPages());
  app.get("/dashboard/how-to-connect", showHowToConnect);
  app.get("/dashboard/profile", showProfile);
  app.post("/dashboard/profile/password", doChangePassword);
  app.post("/dashboard/profile/time-zone", doSetTimeZone);
  app.post("/dashboard/profile/verify-email", doSendVerification);
  app.post("/dashboard/profile/alerts", doSetAlerts);
  app.post("/dashboard/profile/feeds", doMakeFeed);
  app.post("/dashboard/profile/feeds/:id/revoke", doRevokeFeed);
  app.route("/dashboard/profile", personalDataPages);
  app.post("/dashboard/passkeys/options", passkeyOptions);
  app.post("/dashboard/passkeys", addPasskey);
  app.post("/dashboard/passkeys/confirm/options", passkeyConfirmOptions);
  app.post("/dashboard/passkeys/confirm", confirmWithPasskey);
  app.post("/dashboard/passkeys/:id/remove", doRemovePasskey);
  app.get("/dashboard/plan", showPlan);
  app.post("/dashboard/plan/checkout", doCheckout);
  app.post("/dashboard/plan/portal", doPortal);
  app.get("/dashboard/workspaces", showWorkspaces).post(doCreateWorkspace);
  app.post("/dashboard/workspaces/:id/rename", doRenameWorkspace);
  app.post("/dashboard/workspaces/:id/activate", doActivateWorkspace);
  app.post("/dashboard/workspaces/:id/approvals", doSetApprovalReauthentication);
  app.route("/dashboard/media", mediaPages);
  return app;
}
