import { Hono } from "hono";
import { actorForSession } from "#auth/index.ts";
import { doRevokeApp, showApps } from "./apps.tsx";
import { limitEvent, limitForm } from "./body-limits.ts";
import { door } from "./door.ts";
import type { PageContext, PageEnv, WorldOf } from "./env.ts";
import { fault, missing } from "./error-pages.tsx";
import { pageHeaders } from "./headers.ts";
import { showHowToConnect } from "./how-to-connect.tsx";
import { doCreateKey, doRevokeKey, doRotateKey, showKeys } from "./keys.tsx";
import { showOverview } from "./overview.tsx";
import { doForgot, doReset, doVerify, showForgot, showReset, showVerify } from "./password-reset.tsx";
import { addPasskey, passkeyOptions, passkeySignIn, passkeySignInOptions } from "./passkeys.ts";
import { doCheckout, doPortal, showPlan, takePaymentEvent } from "./plan.tsx";
import { doChangePassword, doRemovePasskey, doSendVerification, doSetTimeZone, showProfile } from "./profile.tsx";
import { sameOrigin } from "./same-origin.ts";
import { withServices } from "./services.ts";
import { readSession } from "./session-cookie.ts";
import { doSignIn, doSignOut, showSignIn } from "./sign-in.tsx";
import { doSignUp, showSignUp } from "./sign-up.tsx";
import { doActivateWorkspace, doCreateWorkspace, doRenameWorkspace, showWorkspaces } from "./workspaces.tsx";

async function atTheDoor(c: PageContext): Promise<Response> {
  const signedIn = await actorForSession(c.var.services, readSession(c));
  return c.redirect(signedIn === null ? "/login" : "/dashboard", 303);
}

/** Every page a person sees, the forms behind them, and the payment provider's events. */
export function createPages(worldOf: WorldOf): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.use(withServices(worldOf));
  app.onError(fault);
  app.notFound(missing);

  // A machine with a signature of its own: none of the rules for forms apply.
  app.post("/billing/events", limitEvent, takePaymentEvent);

  app.use(pageHeaders, sameOrigin, limitForm);
  app.get("/", atTheDoor);
  app.get("/signup", showSignUp).post(doSignUp);
  app.get("/login", showSignIn).post(doSignIn);
  app.post("/login/passkey/options", passkeySignInOptions);
  app.post("/login/passkey", passkeySignIn);
  app.post("/logout", doSignOut);
  app.get("/password/forgot", showForgot).post(doForgot);
  app.get("/password/reset", showReset).post(doReset);
  app.get("/verify-email", showVerify).post(doVerify);

  app.use("/dashboard/*", door);
  app.get("/dashboard", showOverview);
  app.get("/dashboard/keys", showKeys).post(doCreateKey);
  app.post("/dashboard/keys/:id/rotate", doRotateKey);
  app.post("/dashboard/keys/:id/revoke", doRevokeKey);
  app.delete("/dashboard/keys/:id", doRevokeKey);
  app.get("/dashboard/apps", showApps);
  app.post("/dashboard/apps/:id/revoke", doRevokeApp);
  app.delete("/dashboard/apps/:id", doRevokeApp);
  app.get("/dashboard/how-to-connect", showHowToConnect);
  app.get("/dashboard/profile", showProfile);
  app.post("/dashboard/profile/password", doChangePassword);
  app.post("/dashboard/profile/time-zone", doSetTimeZone);
  app.post("/dashboard/profile/verify-email", doSendVerification);
  app.post("/dashboard/passkeys/options", passkeyOptions);
  app.post("/dashboard/passkeys", addPasskey);
  app.post("/dashboard/passkeys/:id/remove", doRemovePasskey);
  app.get("/dashboard/plan", showPlan);
  app.post("/dashboard/plan/checkout", doCheckout);
  app.post("/dashboard/plan/portal", doPortal);
  app.get("/dashboard/workspaces", showWorkspaces).post(doCreateWorkspace);
  app.post("/dashboard/workspaces/:id/rename", doRenameWorkspace);
  app.post("/dashboard/workspaces/:id/activate", doActivateWorkspace);
  return app;
}
