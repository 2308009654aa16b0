import { crc32 } from 'node:zlib'

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** Builds a PDF of one page with these lines, the first one large. */
export function buildPdf([title = '', ...lines]: readonly string[]): Buffer<ArrayBuffer> {
  const toLiteral = (text: string) => `(${text.replace(/[\\()]/g, '\\$&').replaceAll('–', '-')})`
  const content = [
    `BT /F1 24 Tf 48 500 Td ${toLiteral(title)} Tj /F1 12 Tf 0 -36 Td 18 TL`,
    ...lines.map((line) => `${toLiteral(line)} Tj T*`),
    'ET',
  ].join('\n')
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 960 540] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ]
  let text = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const size = objects.length + 1
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`
  // In Latin-1 every character is a byte, so that the offsets are right.
  return Buffer.from(text + table + trailer, 'latin1')
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const NAMESPACES = `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="${OFFICE}" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`
const GROUP =
  '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/><a:chOff x="0" y="0"/><a:chExt cx="0" cy="0"/></a:xfrm></p:grpSpPr>'
const COLOR_MAP =
  '<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/>'

/** Lists the relations of a part, numbered rId1, rId2, … (ECMA-376, part 2). */
function buildRelations(...targets: [type: string, target: string][]): string {
  const relations = targets.map(
    ([type, target], index) =>
      `<Relationship Id="rId${index + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  )
  return `${HEAD}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relations.join('')}</Relationships>`
}

function buildTheme(): string {
  const names = [
    'dk1',
    'lt1',
    'dk2',
    'lt2',
    ...[1, 2, 3, 4, 5, 6].map((n) => `accent${n}`),
    'hlink',
    'folHlink',
  ]
  const color = (name: string) =>
    `<a:${name}><a:srgbClr val="${name.startsWith('lt') ? 'FFFFFF' : '0F5C7D'}"/></a:${name}>`
  const font = '<a:latin typeface="Arial"/><a:ea typeface=""/><a:cs typeface=""/>'
  const fills = '<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>'.repeat(3)
  const line = '<a:ln><a:solidFill><a:schemeClr val="phClr"/></a:solidFill></a:ln>'
  const effects = '<a:effectStyle><a:effectLst/></a:effectStyle>'.repeat(3)
  return `${HEAD}<a:theme ${NAMESPACES} name="Emulado"><a:themeElements><a:clrScheme name="Emulado">${names.map(color).join('')}</a:clrScheme><a:fontScheme name="Emulado"><a:majorFont>${font}</a:majorFont><a:minorFont>${font}</a:minorFont></a:fontScheme><a:fmtScheme name="Emulado"><a:fillStyleLst>${fills}</a:fillStyleLst><a:lnStyleLst>${line.repeat(3)}</a:lnStyleLst><a:effectStyleLst>${effects}</a:effectStyleLst><a:bgFillStyleLst>${fills}</a:bgFillStyleLst></a:fmtScheme></a:themeElements></a:theme>`
}

function buildSlide(lines: readonly string[]): string {
  const paragraphs = lines.map(
    (line, index) =>
      `<a:p><a:r><a:rPr lang="pt-BR" sz="${index === 0 ? 2800 : 1400}"/><a:t>${escapeXml(line)}</a:t></a:r></a:p>`,
  )
  return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="Texto"/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="600000" y="400000"/><a:ext cx="10900000" cy="6000000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr><p:txBody><a:bodyPr/>${paragraphs.join('')}</p:txBody></p:sp>`
}

/** Builds a presentation of one slide with these lines, the first one large (ECMA-376, part 1). */
export function buildPptx(lines: readonly string[]): Buffer<ArrayBuffer> {
  const tree = (shapes = '') => `<p:cSld><p:spTree>${GROUP}${shapes}</p:spTree></p:cSld>`
  const part = (root: string, content: string) => `${HEAD}<p:${root} ${NAMESPACES}>${content}</p:${root}>`
  const types = [
    ['presentation', 'presentation.main'],
    ['slides/slide1', 'slide'],
    ['slideLayouts/slideLayout1', 'slideLayout'],
    ['slideMasters/slideMaster1', 'slideMaster'],
  ].map(
    ([name, type]) =>
      `<Override PartName="/ppt/${name}.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.${type}+xml"/>`,
  )
  return zip({
    '[Content_Types].xml': `${HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${types.join('')}<Override PartName="/ppt/theme/theme1.xml" ContentType="application/vnd.openxmlformats-officedocument.theme+xml"/></Types>`,
    '_rels/.rels': buildRelations(['officeDocument', 'ppt/presentation.xml']),
    'ppt/presentation.xml': part(
      'presentation',
      '<p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="rId1"/></p:sldMasterIdLst><p:sldIdLst><p:sldId id="256" r:id="rId2"/></p:sldIdLst><p:sldSz cx="12192000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/>',
    ),
    'ppt/_rels/presentation.xml.rels': buildRelations(
      ['slideMaster', 'slideMasters/slideMaster1.xml'],
      ['slide', 'slides/slide1.xml'],
      ['theme', 'theme/theme1.xml'],
    ),
    'ppt/slides/slide1.xml': part('sld', tree(buildSlide(lines))),
    'ppt/slides/_rels/slide1.xml.rels': buildRelations(['slideLayout', '../slideLayouts/slideLayout1.xml']),
    'ppt/slideLayouts/slideLayout1.xml': part('sldLayout', tree()),
    'ppt/slideLayouts/_rels/slideLayout1.xml.rels': buildRelations([
      'slideMaster',
      '../slideMasters/slideMaster1.xml',
    ]),
    'ppt/slideMasters/slideMaster1.xml': part(
      'sldMaster',
      `${tree()}${COLOR_MAP}<p:sldLayoutIdLst><p:sldLayoutId id="2147483649" r:id="rId1"/></p:sldLayoutIdLst>`,
    ),
    'ppt/slideMasters/_rels/slideMaster1.xml.rels': buildRelations(
      ['slideLayout', '../slideLayouts/slideLayout1.xml'],
      ['theme', '../theme/theme1.xml'],
    ),
    'ppt/theme/theme1.xml': buildTheme(),
  })
}

/** Packs files uncompressed (PKWARE APPNOTE, 4.3). */
function zip(files: Record<string, string>): Buffer<ArrayBuffer> {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [path, text] of Object.entries(files)) {
    const [name, data] = [Buffer.from(path), Buffer.from(text)]
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    // The first of January 1980.
    fields.writeUInt16LE(0x21, 8)
    fields.writeUInt32LE(crc32(data), 10)
    fields.writeUInt32LE(data.length, 14)
    fields.writeUInt32LE(data.length, 18)
    fields.writeUInt16LE(name.length, 22)
    const local = [Buffer.from('PK\x03\x04', 'latin1'), fields, name, data]
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), fields, place, name)
    locals.push(...local)
    offset += Buffer.concat(local).length
  }
  const count = Object.keys(files).length
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(Buffer.concat(directory).length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, ...directory, end])
}
