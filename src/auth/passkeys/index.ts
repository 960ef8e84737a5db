export { listPasskeys } from "./list.ts";
export { beginPasskeyRegistration, finishPasskeyRegistration } from "./register.ts";
export { removePasskey } from "./remove.ts";
export {
  beginPasskeyReauthentication,
  beginPasskeySignIn,
  reauthenticateWithPasskey,
  signInWithPasskey,
} from "./authenticate.ts";
export type { Passkey } from "./store.ts";
