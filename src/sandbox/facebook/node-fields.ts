import type { SimulatorContext } from "#sandbox/contract.ts";
import type { JsonObject } from "#core/json.ts";
import { selectFields, unknownNameOf } from "#sandbox/graph-api.ts";
import { invalidParameter } from "./error-responses.ts";

/* The fields and edges of nodes, as https://github.com/facebook/facebook-nodejs-business-sdk names them for v26.0
   (User, Page, Post and PagePost, Comment, Photo) and https://github.com/facebook/facebook-python-business-sdk for a
   video (AdVideo). A video's `post_id` and `views` are only in
   https://developers.facebook.com/docs/graph-api/reference/video. The sandbox fills some of them. A call that asks
   for any other is refused as a whole: "(#100) Tried accessing nonexisting field"
   (https://github.com/snarfed/bridgy/issues/1280). */
const FIELDS = {
  User: "id,name,first_name,last_name,middle_name,name_format,short_name,email,picture,link,accounts,businesses,permissions",
  Page: "id,name,username,link,picture,about,access_token,bio,business,can_post,category,category_list,country_page_likes,cover,description,emails,fan_count,followers_count,global_brand_page_name,has_transitioned_to_new_page_experience,instagram_business_account,is_published,location,phone,single_line_address,verification_status,website,posts,published_posts,feed,videos,photos,roles",
  Post: "id,message,created_time,permalink_url,is_published,status_type,application,attachments,actions,admin_creator,allowed_advertising_objectives,backdated_time,child_attachments,comments,coordinates,event,feed_targeting,from,full_picture,icon,insights,is_eligible_for_promotion,is_expired,is_hidden,is_popular,is_spherical,likes,message_tags,multi_share_end_card,parent_id,picture,place,privacy,promotable_id,properties,reactions,scheduled_publish_time,shares,sponsor_tags,story,story_tags,subscribed,target,targeting,timeline_visibility,to,updated_time,via,video_buying_eligibility",
  Video:
    "id,status,published,description,title,created_time,updated_time,permalink_url,custom_labels,universal_video_id,post_id,ad_breaks,backdated_time,captions,comments,content_category,content_tags,crosspost_shared_pages,embed_html,embeddable,event,format,from,icon,is_crosspost_video,is_crossposting_eligible,is_episode,is_reference_only,length,likes,live_status,picture,place,premiere_living_room_status,privacy,scheduled_publish_time,source,tags,thumbnails,video_insights,views",
  Comment:
    "id,message,from,created_time,permalink_url,admin_creator,application,attachment,can_comment,can_hide,can_like,can_remove,can_reply_privately,comment_count,comments,is_hidden,is_private,like_count,likes,live_broadcast_timestamp,message_tags,object,parent,private_reply_conversation,reactions,user_likes",
  Photo:
    "id,link,page_story_id,album,alt_text,alt_text_custom,backdated_time,backdated_time_granularity,can_backdate,can_delete,can_tag,comments,created_time,event,from,height,icon,images,likes,name,name_tags,picture,place,sponsor_tags,target,updated_time,webp_images,width",
} as const;

export type NodeType = keyof typeof FIELDS;

const KNOWN: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(FIELDS).map(([type, names]) => [type, new Set(names.split(","))]),
);

/** The refusal of a field that the node does not have. Null if it has all of them. */
export function refuseUnknownField(sim: SimulatorContext, type: NodeType, fields: string): Response | null {
  const unknown = unknownNameOf(KNOWN.get(type) ?? new Set(), fields);
  return unknown === undefined
    ? null
    : invalidParameter(sim, `Tried accessing nonexisting field (${unknown}) on node type (${type})`);
}

/** The selected fields of a node, or the refusal of an unknown one. */
export const nodeResponse = (sim: SimulatorContext, type: NodeType, node: JsonObject, fields: string): Response =>
  refuseUnknownField(sim, type, fields) ?? Response.json(selectFields(node, fields));
