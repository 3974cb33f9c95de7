// Modifiers that several families share, most searched first, in the notation of phrase.ts.

export const COLORS = `black, white, pink, blue, red, green, brown, gold, grey, purple, silver, navy blue, beige,
  yellow, orange, gray, rose gold, hot pink, light blue, teal, tan, sage green, burgundy, turquoise, olive green,
  cream, lavender, dark green, royal blue, emerald green, multicolor, champagne, coral, maroon, rust, mint green,
  charcoal, khaki, neon green, ivory, baby blue, mustard yellow, dusty rose, terracotta, mauve, copper, leopard print,
  tie dye, rainbow, clear`;

export const HOME_COLORS = `black, white, grey, brown, beige, green, blue, gold, sage green, navy blue, cream, pink,
  gray, dark green, terracotta, teal, burgundy, silver, yellow, red, purple, light blue, off white, rust, taupe,
  olive green, emerald green, mustard yellow, charcoal, light grey, blush pink, black and white, boho, copper, walnut,
  natural`;

export const WHOSE_ADULT = `womens=Women's, mens=Men's, women's=Women's, men's=Men's, ladies=Ladies', unisex,
  plus size=Plus Size Women's, junior=Juniors'`;

export const WHOSE_ALL = `womens=Women's, mens=Men's, girls=Girls', boys=Boys', kids=Kids', women's=Women's, toddler,
  baby, men's=Men's, toddler girl=Toddler Girls', toddler boy=Toddler Boys', ladies=Ladies', teen girl=Teen Girls',
  unisex, baby girl=Baby Girls', baby boy=Baby Boys', big kids=Big Kids', little girls=Little Girls'`;

export const WHO_ALL = `for women=Women's, women=Women's, for men=Men's, men=Men's, for girls=Girls', kids=Kids',
  for kids=Kids', for boys=Boys', boys=Boys', girls=Girls', for toddlers=Toddler, for teen girls=Teen Girls',
  for baby girl=Baby Girls', for ladies=Ladies', for seniors=Senior, for teens=Teen, for baby boy=Baby Boys'`;

export const WHO_ADULT = `for women=Women's, women=Women's, for men=Men's, men=Men's, for ladies=Ladies',
  for seniors=Senior, for teens=Teen, for couples=Couples, for mom=Mom, for dad=Dad, for adults=Adult,
  for beginners=Beginner`;

export const WHO_CHILD = `for kids=Kids', for girls=Girls', for boys=Boys', for toddlers=Toddler,
  for 3 year old=3 Year Old, for 5 year old girl=5 Year Old, for 8 year old boy=8 Year Old, for 2 year old=2 Year Old,
  for babies=Baby, for 4 year old boys=4 Year Old, for 6 year old girl=6 Year Old, for 7 year old girls=7 Year Old,
  for teens=Teen, ages 3-5=Ages 3-5, ages 8-12=Ages 8-12, for 1 year old=1 Year Old,
  for 10 year old girls=10 Year Old, for adults=Adult, ages 4-8=Ages 4-8, for 9 year old boys=9 Year Old,
  for 12 year old boys=12 Year Old, for classroom=Classroom`;

export const WHO_PERSON = `for women, for men, for kids, for adults, for seniors, for teens, for beginners, for mom,
  for dad, for her, for him, for couples, for boyfriend, for girlfriend, for grandma, for grandpa, for teacher,
  for coworkers`;

export const SHOE_SIZES = `size 8, size 7, size 9, size 10, size 11, size 7.5, size 8.5, size 12, size 6, size 13,
  wide, size 9.5, size 10.5, wide width, size 6.5, size 5, extra wide, size 11 wide, size 4, size 14, size 3, narrow`;

export const CLOTHING_SIZES = `plus size, xl, medium, large, small, xxl, 2xl, 3xl, petite, xs, big and tall, size 12,
  4xl, tall, one size, size 14, 2t, 3t, 4t, size 16, 5xl, 5t, size 10, long, short`;

export const PACKS = `2 pack, 4 pack, 3 pack, 6 pack, set of 2, set of 4, bulk, 10 pack, 12 pack, 5 pack, 8 pack,
  set of 6, 100 pack, 24 count, 20 pack, set of 3, 50 pack, multipack, 1 pack, 48 pack, set of 8, 200 count, 30 pack,
  value pack`;

export const FEET = `10ft, 6ft, 3ft, 15ft, 6 foot, 10 foot, 25ft, 20ft, 50ft, 1ft, 12ft, 30ft, 8ft, 100ft, 16ft, 4ft,
  50 foot, 35ft`;

export const INCHES = `12 inch, 10 inch, 18 inch, 24 inch, 6 inch, 8 inch, 36 inch, 20 inch, 14 inch, 30 inch,
  16 inch, 48 inch, 4 inch, 3 inch, 60 inch, 5 inch, 72 inch, 22 inch, 9 inch, 11 inch, 40 inch, 15 inch, 7 inch,
  26 inch, 42 inch`;

export const OUNCES = `16 oz, 12 oz, 8 oz, 32 oz, 20 oz, 40 oz, 24 oz, 4 oz, 2 oz, 64 oz, 10 oz, 1 gallon, 30 oz,
  6 oz, 1 oz, 14 oz, 18 oz, half gallon, 128 oz, travel size, 3.4 oz, 5 oz, 1 lb, 2 lb, 5 lb, 3 lb`;

export const ROOMS = `for bedroom, for living room, for kitchen, for bathroom, for office, for wall, for outside,
  for couch, for apartment, for dorm room@school, for small spaces, for entryway, for dining room, for nursery,
  for bedroom aesthetic, for patio, for home office, for closet, for laundry room, for garage, for camper,
  for teen girls room, for rv, for home`;

export const OCCASIONS = `christmas@christmas, birthday, halloween@halloween, wedding, valentines day@valentine,
  easter@easter, baby shower, mothers day@mother, fall@fall, graduation@graduation, thanksgiving@thanksgiving,
  4th of july@independence, fathers day@father, bridal shower, st patricks day@patrick, new years@newyear,
  bachelorette, summer@summer, anniversary, gender reveal, 50th birthday, sweet 16, quinceañera=Quinceañera,
  retirement, housewarming, cinco de mayo, hanukkah@christmas`;

export const PHONES = `iphone 15=iPhone 15, iphone=iPhone, iphone 16 pro max=iPhone 16 Pro Max, iphone 14=iPhone 14,
  iphone 13=iPhone 13, iphone 16=iPhone 16, iphone 15 pro max=iPhone 15 Pro Max, iphone 16 pro=iPhone 16 Pro,
  iphone 11=iPhone 11, iphone 14 pro max=iPhone 14 Pro Max, samsung=Samsung Galaxy, iphone 12=iPhone 12,
  iphone 15 pro=iPhone 15 Pro, galaxy s24 ultra=Galaxy S24 Ultra, samsung s25=Samsung Galaxy S25, iphone xr=iPhone XR,
  iphone 13 pro max=iPhone 13 Pro Max, iphone se=iPhone SE, samsung a15=Samsung Galaxy A15, pixel 8=Pixel 8,
  galaxy s23=Galaxy S23, iphone 14 plus=iPhone 14 Plus, pixel 9 pro=Pixel 9 Pro, moto g=Moto G,
  samsung a54=Galaxy A54, iphone 16 plus=iPhone 16 Plus, galaxy z flip=Galaxy Z Flip, iphone 8=iPhone 8,
  android=Android, iphone 13 mini=iPhone 13 Mini`;

export const COMPUTERS = `laptop, macbook air=MacBook Air, ipad=iPad, macbook pro=MacBook Pro, chromebook, pc=PC,
  ipad 10th generation=iPad 10th Generation, ipad air=iPad Air, surface pro=Surface Pro, tablet, hp laptop=HP Laptop,
  dell laptop=Dell Laptop, ipad pro 11=iPad Pro 11, kindle paperwhite=Kindle Paperwhite, lenovo=Lenovo,
  ipad mini=iPad Mini, desktop, imac=iMac`;

export const CONSOLES = `ps5=PS5, nintendo switch=Nintendo Switch, xbox series x=Xbox Series X, xbox=Xbox, ps4=PS4,
  switch=Switch, xbox one=Xbox One, switch oled=Switch OLED, steam deck=Steam Deck, pc=PC,
  playstation 5=PlayStation 5, switch 2=Switch 2, xbox series s=Xbox Series S, wii=Wii, nintendo 3ds=Nintendo 3DS,
  quest 3=Quest 3`;

export const SHOPPING_LEADS = `best, cute, cool, cheap, small, large, mini, new, good, top rated, luxury, affordable,
  cheapest, high quality, unique, funny, extra large, aesthetic, fancy`;

export const SHOPPING_TAILS = `clearance, on sale, sale, gifts, set, near me, under 20 dollars, prime, reviews, deals,
  kit, under 50 dollars, overnight delivery, made in usa=Made in USA, black friday deals@thanksgiving,
  stocking stuffers@christmas, under 10, for cheap, amazon choice, same day delivery, bulk wholesale,
  deals of the day, 2025, open box`;

export const MODELS = `Pro, Classic, Essential, Premium, Max, Series 2, Lite, Elite, Deluxe, Original, Plus, Ultra,
  2.0, Select, Signature, Everyday, Heritage, Next Gen, Advanced, Studio, Prime Line, Core, X2, V3, Comfort, Home`;
