import { withExtras } from "#platforms/extras.ts";
import { comment } from "./extras.ts";
import { commit as commitPost } from "./commit.ts";
import { verify as verifyPost } from "./verify.ts";

export { connect } from "./connect.ts";
export { prepare } from "./prepare.ts";

export const { commit, verify } = withExtras({ commit: commitPost, verify: verifyPost }, [comment]);
