import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineFault, type FaultRun, startFaultPortal, verify } from '#proof/shared/fault.ts'
import { countLost, writeMessage } from '#proof/shared/load.ts'
import { signInAsAdmin } from '#proof/shared/people.ts'
import { send } from '#proof/shared/requests.ts'
import { makeTempFolder } from '#proof/shared/run-task.ts'

const SIZE_MB = 160
const MAX_WRITES = 4_000

/** The embedded database runs out of disk space: it refuses writes, and reads continue. */
export const diskFull = defineFault({
  name: 'disk full (embedded database)',
  cannotRun: async () => (canMount() ? undefined : 'a small file system needs the right to mount one'),
  async run(run) {
    const DATA_DIR = mountSmallDisk(run)
    const env = { DATA_DIR }
    let portal = await startFaultPortal(run, run.port, env)
    const token = await signInAsAdmin(portal.url)
    const marks: string[] = []
    for (let written = 0; written < 20; written++) await writeMessage(portal.url, marks)
    const ballast = fillDisk(DATA_DIR)
    let refused = 0
    let others = 0
    for (let tried = 0; tried < MAX_WRITES && refused < 5; tried++) {
      const { status } = await writeMessage(portal.url, marks)
      if (status === 503) refused++
      else if (status !== 201) others++
    }
    const read = await send(portal.url, { path: '/api/profiles/me', token })
    const isAlive = !portal.hasEnded()
    rmSync(ballast)
    const again = await writeMessage(portal.url, marks)
    const lost = await countLost(portal.url, token, marks)
    await portal.stop()
    portal = await startFaultPortal(run, run.port, env)
    const lostLater = await countLost(portal.url, await signInAsAdmin(portal.url), marks)
    await portal.stop()
    return [
      {
        promise: 'writes are refused with 503',
        held: refused > 0 && others === 0,
        seen: `${refused} × 503, ${others} others`,
      },
      { promise: 'reads work on', held: read.status === 200, seen: String(read.status) },
      { promise: 'the process survives', held: isAlive, seen: isAlive ? 'alive' : 'dead' },
      {
        promise: 'writes work again once there is room',
        held: again.status === 201,
        seen: String(again.status),
      },
      verify(`of ${marks.length} acknowledged messages lost`, lost, 0),
      verify('lost after another start', lostLater, 0),
    ]
  },
})

function canMount(): boolean {
  return process.platform === 'linux' && process.getuid?.() === 0
}

function mountSmallDisk(run: FaultRun): string {
  const folder = join(makeTempFolder(run.cleanUp), 'disk')
  mkdirSync(folder)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m`, 'tmpfs', folder])
  const unmount = () => execFileSync('umount', ['-l', folder])
  // An interrupted run skips the cleanup, and a folder with a mount could not be removed.
  process.prependOnceListener('exit', unmount)
  run.cleanUp(() => {
    process.off('exit', unmount)
    unmount()
  })
  return folder
}

/**
 * Fills the disk almost completely.
 * @returns the file to remove
 */
function fillDisk(folder: string): string {
  const file = join(folder, 'ballast')
  const { bavail, bsize } = statfsSync(folder)
  writeFileSync(file, Buffer.alloc(Math.max(0, bavail * bsize - 64 * 1024)))
  return file
}
