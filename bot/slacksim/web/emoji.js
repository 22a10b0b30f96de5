// Emoji by the names that Slack gives them: those a workflow bot and its people use.

const TABLE = `
+1 👍|thumbsup 👍|-1 👎|thumbsdown 👎|ok_hand 👌|clap 👏|pray 🙏|wave 👋|raised_hands 🙌|muscle 💪|point_right 👉|point_left 👈
point_up 👆|point_down 👇|handshake 🤝|v ✌️|raised_hand ✋|writing_hand ✍️
smile 😄|slightly_smiling_face 🙂|grinning 😀|joy 😂|laughing 😆|wink 😉|blush 😊|heart_eyes 😍|sunglasses 😎|thinking_face 🤔
neutral_face 😐|confused 😕|cry 😢|sob 😭|scream 😱|rage 😡|sweat_smile 😅|upside_down_face 🙃|zzz 💤|see_no_evil 🙈
robot_face 🤖|ghost 👻|bust_in_silhouette 👤|busts_in_silhouette 👥
heart ❤️|blue_heart 💙|green_heart 💚|sparkles ✨|star ⭐|tada 🎉|fire 🔥|rocket 🚀|100 💯|zap ⚡|boom 💥|trophy 🏆|gift 🎁|bulb 💡
sunny ☀️|umbrella ☔|snowflake ❄️|ocean 🌊|droplet 💧|rainbow 🌈|seedling 🌱|coffee ☕|pizza 🍕|cake 🍰|beer 🍺
white_check_mark ✅|heavy_check_mark ✔️|ballot_box_with_check ☑️|x ❌|negative_squared_cross_mark ❎|no_entry ⛔
no_entry_sign 🚫|warning ⚠️|exclamation ❗|question ❓|grey_question ❔|information_source ℹ️|octagonal_sign 🛑
rotating_light 🚨|hourglass ⌛|hourglass_flowing_sand ⏳|stopwatch ⏱️|alarm_clock ⏰|clock3 🕒|clock9 🕘|watch ⌚
arrow_right ➡️|arrow_left ⬅️|arrow_up ⬆️|arrow_down ⬇️|arrow_forward ▶️|arrow_backward ◀️|arrows_counterclockwise 🔄
repeat 🔁|leftwards_arrow_with_hook ↩️|arrow_right_hook ↪️|twisted_rightwards_arrows 🔀|fast_forward ⏩|rewind ⏪
double_vertical_bar ⏸️|black_square_for_stop ⏹️|new 🆕|ok 🆗|up 🆙|heavy_plus_sign ➕|heavy_minus_sign ➖
large_green_circle 🟢|large_yellow_circle 🟡|large_orange_circle 🟠|red_circle 🔴|large_blue_circle 🔵|white_circle ⚪
black_circle ⚫|large_green_square 🟩|large_yellow_square 🟨|large_orange_square 🟧|large_red_square 🟥
white_large_square ⬜|black_large_square ⬛|small_orange_diamond 🔸|small_blue_diamond 🔹|large_blue_diamond 🔷
radio_button 🔘
one 1️⃣|two 2️⃣|three 3️⃣|four 4️⃣|five 5️⃣|six 6️⃣|seven 7️⃣|eight 8️⃣|nine 9️⃣|keycap_ten 🔟|hash #️⃣
eyes 👀|mag 🔍|mag_right 🔎|memo 📝|pencil2 ✏️|pencil 📝|clipboard 📋|page_facing_up 📄|bookmark_tabs 📑|bar_chart 📊
chart_with_upwards_trend 📈|chart_with_downwards_trend 📉|calendar 📆|date 📅|spiral_calendar_pad 🗓️|file_folder 📁
open_file_folder 📂|card_index_dividers 🗂️|pushpin 📌|round_pushpin 📍|paperclip 📎|link 🔗|lock 🔒|unlock 🔓|key 🔑
closed_lock_with_key 🔐|mailbox 📫|email ✉️|envelope ✉️|inbox_tray 📥|outbox_tray 📤|package 📦|bell 🔔|no_bell 🔕
speech_balloon 💬|thought_balloon 💭|mega 📣|loudspeaker 📢|label 🏷️|wastebasket 🗑️|camera 📷|frame_with_picture 🖼️
computer 💻|gear ⚙️|wrench 🔧|hammer 🔨|hammer_and_wrench 🛠️|toolbox 🧰|electric_plug 🔌|construction 🚧|ticket 🎫
test_tube 🧪|bug 🐛|world_map 🗺️|globe_with_meridians 🌐|busstop 🚏|vertical_traffic_light 🚦|traffic_light 🚥
checkered_flag 🏁|triangular_flag_on_post 🚩|shopping_trolley 🛒|credit_card 💳|moneybag 💰|money_with_wings 💸|dollar 💵
euro 💶|receipt 🧾|scales ⚖️|shield 🛡️|books 📚|book 📖|newspaper 📰|art 🎨|crystal_ball 🔮|jigsaw 🧩|game_die 🎲|palm_tree 🌴
airplane ✈️|house 🏠|office 🏢`;

const BY_NAME = new Map(
  TABLE.trim()
    .split(/[|\n]/)
    .map((entry) => {
      const space = entry.indexOf(' ');
      return [entry.slice(0, space), entry.slice(space + 1)];
    }),
);

const TONES = { 2: '🏻', 3: '🏼', 4: '🏽', 5: '🏾', 6: '🏿' };

/** The character for a name such as "tada" or "wave::skin-tone-3", or null when the name is unknown. */
export function emoji(name) {
  const [plain, tone] = name.split('::skin-tone-');
  const found = BY_NAME.get(plain);
  if (!found) return null;
  return tone && TONES[tone] ? found + TONES[tone] : found;
}

/** Up to `limit` [name, character] pairs whose name contains `part`, those that begin with it first. */
export function findEmoji(part, limit) {
  const names = [...BY_NAME.keys()].filter((name) => name.includes(part));
  names.sort((a, b) => Number(b.startsWith(part)) - Number(a.startsWith(part)) || a.length - b.length);
  return names.slice(0, limit).map((name) => [name, BY_NAME.get(name)]);
}

// What people use most.
const USUAL = [
  '+1',
  'white_check_mark',
  'eyes',
  'tada',
  'heart',
  'joy',
  'pray',
  'raised_hands',
  'clap',
  'rocket',
  'fire',
  'thinking_face',
  'x',
  'warning',
  'question',
  'hourglass_flowing_sand',
  'arrows_counterclockwise',
  'wave',
  'ok_hand',
  '-1',
  'sob',
  'bulb',
  'memo',
  '100',
];

/** What the pickers offer, as items of a menu that narrows down: the usual ones first, each character by one of its names. */
export const PICKER = [...USUAL, ...BY_NAME.keys()]
  .filter((name, at, all) => all.findIndex((other) => BY_NAME.get(other) === BY_NAME.get(name)) === at)
  .map((name) => ({ value: name, words: `:${name}:`, label: emoji(name) }));
