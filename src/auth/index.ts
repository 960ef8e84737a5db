export { resolveSession, type SignedInUser } from "./sessions/resolve.ts";
export { authenticate, type Authentication, presentedCredential, rememberedCaller } from "./bearer/authenticate.ts";
export type { OpenCredential } from "./bearer/location-cache.ts";
export { alwaysNeedsPassword, changePassword } from "./users/change-password.ts";
export { type CreatedKey, createKey, KEY_DAYS_DEFAULT, KEY_DAYS_MAX } from "./keys/create.ts";
export { createUser, type NewUser } from "./users/create.ts";
export { findExpiredSubscriptions } from "./subscriptions/find-expired.ts";
export { disableUser, enableUser } from "./users/disable.ts";
export { endSession } from "./sessions/end.ts";
export { listKeys } from "./keys/list.ts";
export { listUsers, userIdOf } from "./users/list.ts";
export { PasswordQueueFullError } from "./passwords/password-queue.ts";
export { CURRENT_PASSWORD, requireRecentAuthentication } from "./sessions/reauthenticate.ts";
export {
  type AccountAccess,
  previewPasswordReset,
  requestPasswordReset,
  resetPassword,
} from "./users/reset-password.ts";
export { revokeAccess } from "./users/revoke-access.ts";
export { revokeKey } from "./keys/revoke.ts";
export { rotateKey } from "./keys/rotate.ts";
export { setKeyConfirms } from "./keys/set-confirms.ts";
export { setPassword } from "./users/set-password.ts";
export { setRole } from "./users/set-role.ts";
export { setSubscription } from "./subscriptions/set.ts";
export { setTimeZone } from "./users/set-time-zone.ts";
export { signIn } from "./sessions/sign-in.ts";
export { makeKnownBrowser, type SignInClient, signInClient } from "./sessions/sign-in-client.ts";
export { signUp, signUpIsOpen } from "./users/sign-up.ts";
export { signUpByEmail } from "./users/sign-up-by-email.ts";
export { SESSION_SECONDS, startSession } from "./sessions/start.ts";
export type { ApiKey } from "./keys/store.ts";
export { subscriptionAccess } from "./subscriptions/access.ts";
export { deleteExpiredCredentials } from "./cleanup/delete-expired-credentials.ts";
export { sendVerification, verifyEmail } from "./users/verify-email.ts";
