// Opens workflows on the canvas in Chromium, pans and zooms, and prints what a trace of it says, as JSON. What to open comes on stdin.
import { chromium } from '../../frontend/node_modules/playwright-core/index.mjs';

const { link, files } = JSON.parse(await new Response(process.stdin).text());
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  chromiumSandbox: false,
  args: ['--headless=new', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
const cdp = await page.context().newCDPSession(page);
await page.goto(link);
await page.getByRole('textbox').first().waitFor();

/** The milliseconds from leaving the list until cards of a file are painted, and until all are. */
function open({ path, nodes }) {
  return page.evaluate(
    ([hash, nodes]) =>
      new Promise(resolve => {
        const begun = performance.now();
        const painted = [];
        location.hash = hash;
        const look = () => {
          const cards = document.querySelectorAll('.react-flow__node').length;
          const isNews = painted.length === 0 ? cards > 0 : cards === nodes;
          if (isNews) painted.push(new Promise(seen => requestAnimationFrame(() => requestAnimationFrame(() => seen(performance.now() - begun))))); // in the second one the first was seen
          if (painted.length === 2) resolve(Promise.all(painted));
          else requestAnimationFrame(look);
        };
        look();
      }),
    [`#canvas/file/${encodeURIComponent(path)}`, nodes],
  );
}

async function leave() {
  await page.evaluate(() => (location.hash = '#canvas'));
  await page.locator('.react-flow').waitFor({ state: 'detached' });
}

/** The times between frames while something is done, longest last, and the longest that the page's thread worked without a pause. */
async function traced(act) {
  const events = [];
  const collect = ({ value }) => events.push(...value);
  cdp.on('Tracing.dataCollected', collect);
  await cdp.send('Tracing.start', { transferMode: 'ReportEvents', categories: 'toplevel,devtools.timeline,disabled-by-default-devtools.timeline.frame' });
  const begun = await now();
  await act();
  const ended = await now();
  const complete = new Promise(resolve => cdp.once('Tracing.tracingComplete', resolve));
  await cdp.send('Tracing.end');
  await complete;
  cdp.off('Tracing.dataCollected', collect);
  const renderer = events.find(({ name, args }) => name === 'TimeStamp' && args.data.message === begun).tid;
  const [from, to] = [begun, ended].map(mark => events.find(({ name, args }) => name === 'TimeStamp' && args.data.message === mark).ts);
  const within = events.filter(({ ts }) => ts >= from && ts <= to);
  const drawn = within.filter(({ name }) => name === 'DrawFrame').map(({ ts }) => ts).sort((a, b) => a - b);
  const busy = within.filter(({ name, tid, tdur }) => tid === renderer && tdur && /RunTask$/.test(name)).map(({ tdur }) => tdur);
  return { frames: drawn.slice(1).map((ts, i) => (ts - drawn[i]) / 1000).sort((a, b) => a - b), busy: Math.max(0, ...busy) / 1000 };
}

/** Lets what was done before be drawn, which is not what is measured. */
const rest = () => page.waitForTimeout(500);

let marks = 0;
async function now() {
  const mark = `bench ${++marks}`;
  await page.evaluate(name => console.timeStamp(name), mark);
  return mark;
}

/** Where no card is: what is dragged there is the canvas. It is taken before the trace begins, since until it moves nothing is drawn. */
async function pan() {
  const drag = i => page.mouse.move(860 + 160 * Math.sin(i / 12), 500 + 220 * Math.sin(i / 25));
  await page.mouse.move(860, 500);
  await page.mouse.down({ button: 'middle' });
  for (let i = 0; i < 5; i++) await drag(i);
  const seen = await traced(async () => {
    for (let i = 5; i < 185; i++) await drag(i);
  });
  await page.mouse.up({ button: 'middle' });
  return seen;
}

/** Towards something first, by less than there is: at an end of it nothing would be drawn. */
async function zoom(first) {
  await page.mouse.move(640, 460);
  await page.keyboard.down('Control');
  const seen = await traced(async () => {
    for (let i = 0; i < 120; i++) await page.mouse.wheel(0, i % 60 < 30 ? first : -first);
  });
  await page.keyboard.up('Control');
  return seen;
}

const measured = [];
for (const file of files) {
  const opened = [];
  for (let i = 0; i < 6; i++) {
    opened.push(await open(file));
    if (i < 5) await leave();
  }
  const gestures = {};
  for (const [name, act] of Object.entries({ pan, zoom })) {
    await page.getByRole('button', { name: 'Show all' }).click();
    await rest();
    gestures[`${name} over all of it`] = await act(-3);
    for (let i = 0; i < 6; i++) await page.getByRole('button', { name: 'Zoom in' }).click();
    await rest();
    gestures[`${name}, close`] = await act(3);
  }
  measured.push({ opened, gestures });
  await leave();
}
await browser.close();
console.log(JSON.stringify(measured));
