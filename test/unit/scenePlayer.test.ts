// The script of the judge leaves a scene in which an SDK is stuck, whether or not requests arrive.
import { ScenePlayer } from '../tools/judge/scenePlayer.ts';
import { script } from '../tools/judge/scenes.ts';

const minute = 60_000;

test('a scene ends after three minutes without a request, except the first one', () => {
  let now = 0;
  const player = new ScenePlayer(script({ longWaitSeconds: 125 }), () => now);
  now = 60 * minute;
  expect([player.skipOld(), player.position.scene]).toEqual([false, 'first uploads']);
  player.note('reportSessions', { sessions: [] });
  now += 3 * minute - 1;
  expect([player.skipOld(), player.position.scene]).toEqual([false, 'first uploads']);
  now += 1;
  expect([player.skipOld(), player.position.scene, player.skipped]).toEqual([true, 'properties', ['first uploads']]);
  expect(player.left.slice(0, 2)).toEqual(['properties', 'removal']);
});

test('the time of the first scene begins with the first request, also one that the checks refuse', () => {
  let now = 60 * minute;
  const player = new ScenePlayer(script({ longWaitSeconds: 125 }), () => now);
  player.begin();
  for (let second = 0; second < 179; second += 1) {
    now += 1_000;
    player.begin();
    expect(player.skipOld()).toBe(false);
  }
  now += 1_000;
  expect([player.skipOld(), player.position.scene]).toEqual([true, 'properties']);
});
