import { withExtras } from "#platforms/extras.ts";
import { commit as commitVideo } from "./commit.ts";
import { comment, cover, playlists } from "./extras.ts";
import { verify as verifyVideo } from "./verify.ts";

export { connect } from "./connect.ts";
export { prepare } from "./prepare.ts";

export const { commit, verify } = withExtras({ commit: commitVideo, verify: verifyVideo }, [cover, playlists, comment]);
