import { expect, openSession, test } from './portal-fixture.ts'
import { SCREEN_STATES } from './screen-states.ts'
import { listLooseTexts } from './translate-page.ts'

test.use({ isTranslated: true })

const PARTS = 4

for (let part = 0; part < PARTS; part++)
  test(`no screen dies translated, or keeps a text node (${part + 1} of ${PARTS})`, async ({ page }) => {
    test.setTimeout(600_000)
    page.setDefaultTimeout(60_000)
    const loose = new Set<string>()
    for (const { name, as, path, given, ready, act } of SCREEN_STATES.filter((_, n) => n % PARTS === part)) {
      await openSession(page, as ?? 'admin')
      if (!as) await page.evaluate(() => localStorage.clear())
      await given?.(page)
      await page.goto(path)
      await ready(page).waitFor()
      await act?.(page)
      for (const text of await page.evaluate(listLooseTexts)) loose.add(`${name}: ${text}`)
      // Much is drawn differently there.
      for (const width of [390, 1280]) await page.setViewportSize({ width, height: 844 })
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await page.goto('about:blank')
    }
    expect([...loose]).toEqual([])
  })
