import type { FamilySource } from '../family.ts';

// Spanish is the second language of the American shop. The products found are listed in English.

const COLORES = `negro=Black, blanco=White, rojo=Red, azul=Blue, rosa=Pink, dorado=Gold, verde=Green, gris=Grey,
  beige, café=Brown, morado=Purple`;
const QUIEN = `para mujer=Women's, para hombre=Men's, de mujer=Women's, para niños=Kids', para niñas=Girls',
  de hombre=Men's, para bebé=Baby, para niño=Boys', mujer=Women's, hombre=Men's, para dama=Women's,
  para adultos=Adult, para niña=Girls', para bebe=Baby, para ninos=Kids'`;

export const SPANISH: readonly FamilySource[] = [
  {
    categories: ['Apparel', 'Shoes', 'Luggage'],
    weight: 1.6,
    hasShoppingWords: false,
    isMass: true,
    brands: `Casa Rosita, Solbria, Lunara, Velmira, Bella Costa`,
    heads: `ropa=Clothing, zapatos=Shoes, vestidos@summer=Dresses, tenis=Sneakers, bolsas=Handbags,
      sandalias@summer=Sandals, pantalones=Pants, camisas=Shirts, blusas=Blouses, chaqueta@winter=Jacket,
      abrigo@winter=Coat, botas@winter=Boots, traje de baño@summer=Swimsuit, pijamas=Pajamas, ropa interior=Underwear,
      calcetines=Socks, mochila@school=Backpack, reloj=Watch, aretes=Earrings, collar=Necklace, gorras=Caps,
      lentes de sol@summer=Sunglasses, perfume, fajas colombianas=Shapewear, tacones=Heels, shorts,
      suéter@winter=Sweater, disfraces@halloween=Costumes, cinturón=Belt, maletas=Luggage, zapatillas=Slippers`,
    detail: `Comfortable, Casual, Lightweight, Soft Cotton, Trendy, Elegant, Classic Fit, Breathable`,
    slots: {
      color: COLORES,
      who: QUIEN,
      style: `deportivos=Athletic, elegantes=Elegant, baratos=Value, de moda=Trendy, cómodos=Comfortable,
        grandes=Large, de piel=Leather, de invierno@winter=Winter`,
      size: `talla grande=Plus Size, talla 8=Size 8, extra grande=XL, talla 10=Size 10, talla chica=Small`,
    },
  },
  {
    categories: ['Home', 'Kitchen', 'Toys'],
    weight: 1.6,
    hasShoppingWords: false,
    isMass: true,
    brands: `Casa Rosita, Hogarly, Cocinova, Terra Bella, Casa Verano`,
    heads: `audífonos inalámbricos=Wireless Earbuds, audifonos=Headphones, cargador=Charger,
      funda para iphone=iPhone Case, juguetes@christmas=Toys, cafetera=Coffee Maker, licuadora=Blender,
      freidora de aire=Air Fryer, sábanas=Sheets, cobijas@winter=Blankets, almohadas=Pillows, cortinas=Curtains,
      alfombra=Area Rug, ollas=Pots and Pans, vasos=Cups, platos=Plates, colchón=Mattress, ventilador@summer=Fan,
      calentador@winter=Space Heater, aire acondicionado@summer=Air Conditioner, decoración para el hogar=Home Decor,
      luces de navidad@christmas=Christmas Lights, árbol de navidad@christmas=Christmas Tree,
      adornos de navidad@christmas=Christmas Decorations, regalos@christmas=Gifts, globos=Balloons,
      decoraciones de cumpleaños=Birthday Decorations, pañales=Diapers, biberones=Baby Bottles, carriola=Stroller,
      champú=Shampoo, crema facial=Face Cream, protector solar@summer=Sunscreen, maquillaje=Makeup,
      vitaminas=Vitamins, proteína@fitness=Protein Powder, colágeno=Collagen, comida para perros=Dog Food,
      cama para perro=Dog Bed, herramientas=Tools, bicicleta=Bike, silla=Chair, escritorio=Desk, mesa=Table,
      espejo=Mirror, libros en español=Books, biblia reina valera=Bible, bocina bluetooth=Bluetooth Speaker,
      celulares desbloqueados=Unlocked Phones, tableta=Tablet, televisor=TV, lámpara=Lamp, organizador=Organizer`,
    detail: `Easy to Use, Durable, Modern, High Quality, Portable, Large, Family Size, Gift Ready`,
    slots: {
      color: COLORES,
      who: QUIEN,
      style: `eléctrica=Electric, grande=Large, pequeña=Small, portátil=Portable, barata=Value, bonita=Decorative,
        recargable=Rechargeable, original=Classic`,
      use: `para cocina=for Kitchen, para baño=for Bathroom, para sala=for Living Room, para cuarto=for Bedroom,
        para carro=for Car, para oficina=for Office, para la casa=for Home, para jardín=for Garden,
        con luces=with Lights`,
    },
  },
];
