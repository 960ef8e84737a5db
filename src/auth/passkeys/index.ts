export { listPasskeys } from "./list.ts";
export { beginPasskeyRegistration, finishPasskeyRegistration } from "./register.ts";
export { removePasskey } from "./remove.ts";
export { beginPasskeySignIn, signInWithPasskey } from "./sign-in.ts";
export type { Passkey } from "./store.ts";
