export { commit } from "./commit.ts";
export { connect } from "./connect.ts";
export { fetchCapabilities } from "./account.ts";
export { prepare } from "./prepare.ts";
export { verify } from "./verify.ts";
