export { fetchCapabilities, listBoards } from "./account.ts";
export { commit } from "./commit.ts";
export { connect } from "./connect.ts";
export { prepare } from "./prepare.ts";
export { verify } from "./verify.ts";
